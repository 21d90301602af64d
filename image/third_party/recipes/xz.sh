# LZMA: data.tar.xz of Debian packages, compressed kernel modules.
source=xz-utils

build() {
	keep_generated
	./configure $configure_static --disable-nls --disable-doc \
		--disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-lzma-links --disable-scripts
	make -C src/liblzma -j2
	make -C src/liblzma install
}
