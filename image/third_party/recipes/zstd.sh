# Zstandard, with threads: initramfs and images are compressed by it.
source=libzstd

build() {
	make -C lib -j2 V=1 ZSTD_LEGACY_SUPPORT=0 ZSTD_LIB_DICTBUILDER=0 ZSTD_LIB_DEPRECATED=0 libzstd.a-mt
	cp lib/libzstd.a "$prefix/lib/"
	cp lib/zstd.h lib/zstd_errors.h "$prefix/include/"
}
