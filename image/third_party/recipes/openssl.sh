# TLS 1.2 and 1.3, X.509, CMS, ECDSA and Ed25519, AES, SHA-2, PBKDF2. What no node uses is left out: it is most of the
# build's time, and code that is not there has no defects.
source=openssl

build() {
	./Configure linux-x86_64 --prefix=/usr --openssldir=/etc/ssl --libdir=lib \
		no-shared no-tests no-engine no-legacy no-module no-dso no-async no-ui-console no-autoload-config no-comp \
		no-ssl3 no-tls1 no-tls1_1 no-dtls no-srp no-srtp no-psk no-nextprotoneg no-ct no-cmp no-ts no-rfc3779 \
		no-dsa no-ec2m no-gost no-sm2 no-sm3 no-sm4 no-aria no-bf no-camellia no-cast no-des no-idea no-md4 no-mdc2 \
		no-rc2 no-rc4 no-rmd160 no-seed no-siv no-whirlpool no-blake2 no-scrypt no-afalgeng no-secure-memory
	make build_generated
	make -j2 libcrypto.a libssl.a
	cp libcrypto.a libssl.a "$prefix/lib/"
	mkdir "$prefix/include/openssl"
	cp include/openssl/*.h "$prefix/include/openssl/"
}
