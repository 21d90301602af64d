# YAML events. Its configure script (absent from the source package) would only tell it its own version.
source=libyaml

build() {
	for part in MAJOR MINOR PATCH; do
		number=$(sed -n "s/^m4_define(\[YAML_$part\], *\([0-9]*\))/\1/p" configure.ac)
		echo "#define YAML_VERSION_$part $number"
		version_string=${version_string:+$version_string.}$number
	done >src/config.h
	echo "#define YAML_VERSION_STRING \"$version_string\"" >>src/config.h
	CPPFLAGS="-Iinclude -Isrc -DHAVE_CONFIG_H"
	compile_all yaml src/*.c
	cp include/yaml.h "$prefix/include/"
}
