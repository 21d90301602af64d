# JSON. No configure script in the source package, and none needed: two headers say all there is to say.
source=jansson

build() {
	sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' -e 's/@json_have_localeconv@/1/' \
		-e 's/@json_have_atomic_builtins@/1/' -e 's/@json_have_sync_builtins@/1/' \
		src/jansson_config.h.in >src/jansson_config.h
	for h in ATOMIC_BUILTINS CLOSE ENDIAN_H FCNTL_H GETPID GETTIMEOFDAY LOCALECONV OPEN READ SCHED_H SCHED_YIELD \
		STDINT_H SYNC_BUILTINS SYS_PARAM_H SYS_STAT_H SYS_TIME_H SYS_TYPES_H UNISTD_H; do
		echo "#define HAVE_$h 1"
	done >src/jansson_private_config.h
	CPPFLAGS="-Isrc -DHAVE_CONFIG_H -DUSE_URANDOM=1 -DINITIAL_HASHTABLE_ORDER=3 -D_GNU_SOURCE"
	compile_all jansson src/*.c
	cp src/jansson.h src/jansson_config.h "$prefix/include/"
}
