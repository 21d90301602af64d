# Archives: .deb, tar, cpio (initramfs), ISO 9660 (seeds, installer), with xz, zstd and gzip.
source=libarchive
needs="zlib xz zstd"

build() {
	keep_generated
	./configure $configure_static --disable-bsdtar \
		--disable-bsdcpio --disable-bsdcat --disable-acl --disable-xattr --without-bz2lib --without-libb2 --without-lz4 \
		--without-lzo2 --without-cng --without-openssl --without-nettle --without-mbedtls --without-xml2 --without-expat \
		--without-iconv --with-zlib --with-lzma --with-zstd
	make -j2 libarchive.la
	make install-libLTLIBRARIES install-includeHEADERS
}
