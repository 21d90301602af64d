# libuuid, libblkid (what is on a disk), libfdisk (partition tables).
source=util-linux

build() {
	keep_generated
	./configure $configure_static --disable-nls \
		--disable-all-programs --enable-libuuid --enable-libblkid --enable-libfdisk --disable-asciidoc --disable-poman \
		--disable-bash-completion --disable-makeinstall-chown --disable-makeinstall-setuid --without-python \
		--without-systemd --without-udev --without-ncurses --without-ncursesw --without-tinfo --without-readline \
		--without-cap-ng --without-libmagic --without-selinux --without-econf --without-cryptsetup
	make -j2
	make install
}
