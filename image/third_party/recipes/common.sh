# What every recipe builds with. Part of each library's key: a change here rebuilds them all.
#
# tree     the unpacked source, a short fixed path       prefix   where include/ and lib/ go

export CC=musl_cc.sh AR=ar RANLIB=ranlib LC_ALL=C TZ=UTC
# -ffile-prefix-map: none of the build's paths in the objects, so that two machines build the same bytes.
export CFLAGS="-O2 -ffunction-sections -fdata-sections -fstack-protector-strong -fno-asynchronous-unwind-tables -ffile-prefix-map=$tree=."
configure_static="--prefix=$prefix --disable-shared --enable-static --disable-dependency-tracking"

# Debian's patches touch the inputs of autoconf; what upstream generated is newer than they are from here on.
keep_generated() {
	for f in aclocal.m4 configure config.h.in Makefile.in; do
		find . -name "$f" -exec touch {} +
	done
}

# Compile the C files given, without a configure script, into lib$1.a.
compile_all() {
	archive=$prefix/lib/lib$1.a
	shift
	printf '%s\n' "$@" | xargs -P 2 -I{} sh -c 'exec $CC $CPPFLAGS $CFLAGS -c {} -o $(basename {} .c).o'
	for f in "$@"; do
		ar rcsD "$archive" "$(basename "$f" .c).o"
	done
}
