# libcurl for http, https and file, nothing else; and the program curl, which test images need. Debian's patches rename the library in Makefile.am for its other
# flavours; upstream's own Makefile.in, kept here, does not.
source=curl
needs="openssl"

build() {
	keep_generated
	export LIBS=-lpthread
	./configure $configure_static --with-openssl="$openssl_prefix" \
		--with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --without-ca-path \
		--disable-ftp --disable-ldap --disable-ldaps --disable-rtsp --disable-dict --disable-telnet --disable-tftp \
		--disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-manual \
		--disable-ntlm --disable-ntlm-wb --disable-tls-srp --disable-alt-svc --disable-hsts --disable-doh \
		--disable-ares --disable-sspi --disable-netrc --disable-libcurl-option --enable-threaded-resolver \
		--disable-openssl-auto-load-config \
		--without-zlib --without-brotli --without-zstd --without-libpsl --without-libgsasl --without-libssh2 --without-librtmp \
		--without-libidn2 --without-nghttp2
	make -C lib -j2
	make -C lib install
	make -C include install
	make -C src -j2 LDFLAGS=-all-static curl
	mkdir "$prefix/bin"
	strip -o "$prefix/bin/curl" src/curl
}
