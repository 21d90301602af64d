# deflate: gzip members of Debian packages, Kubernetes archives, user-data.
source=zlib

build() {
	./configure --static --prefix="$prefix"
	make -j2 libz.a
	cp libz.a "$prefix/lib/"
	cp zlib.h zconf.h "$prefix/include/"
}
