#!/bin/sh
# Build one library for the shipped programs (static, musl) from its Debian source, and print its prefix: include/, lib/
# (and bin/, where the recipe makes programs that tests need).
#
# recipes/NAME.sh says how: `source` is the Debian source package, `version` its version, where `versions` names none,
# `needs` the libraries it links (each one's prefix is in $NAME_prefix), and the function `build`, run in the unpacked
# tree, installs into $prefix. The prefix is cached under a key of what can change its bytes: the recipe, common.sh, the
# version, the compiler and the keys of what it needs. Another recipe never rebuilds this one.
#
# usage: build_library.sh NAME         build it, unless that is done, and print its prefix
#        build_library.sh --key NAME   print NAME-KEY, build nothing
set -eu

only_key=
if [ "${1:-}" = --key ]; then
	only_key=1
	shift
fi
name=${1:?usage: build_library.sh [--key] NAME}
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/keelson/library
recipe=$here/recipes/$name.sh
[ -f "$recipe" ] || { echo "library $name: expected a recipe $recipe, found none" >&2; exit 2; }

source='' needs='' version=''
# shellcheck source=/dev/null
. "$recipe"
[ -n "$version" ] || version=$(awk -v n="$source" '$1 == n { print $2 }' "$here/versions")

key=$({
	cat "$recipe" "$here/recipes/common.sh" "$here/musl_cc.sh"
	echo "$version"
	gcc -dumpfullversion
	dpkg-query -W -f '${Package} ${Version}\n' musl-dev linux-libc-dev
	for n in $needs; do "$here/build_library.sh" --key "$n"; done
} | sha256sum | cut -c1-16)
if [ -n "$only_key" ]; then
	echo "$name-$key"
	exit 0
fi

prefix=$cache/$name-$key
mkdir -p "$cache"
exec 9>"$prefix.lock"
[ -f "$prefix/built" ] || flock 9
if [ -f "$prefix/built" ]; then
	echo "$prefix"
	exit 0
fi

started=$(date +%s)
log=$prefix.log
work=/var/tmp/keelson-$name-$key
rm -rf "$prefix" "$work"
mkdir -p "$prefix/include" "$prefix/lib"
fetched=$("$here/fetch_source.sh" "$source${version:+=$version}" "$work" 9>&-)
tree=${fetched#* }
export PATH="$here:$PATH"
. "$here/recipes/common.sh"
export CPPFLAGS='' LDFLAGS=-static
for n in $needs; do
	found=$("$here/build_library.sh" "$n" 9>&-)
	CPPFLAGS="$CPPFLAGS -I$found/include"
	LDFLAGS="$LDFLAGS -L$found/lib"
	eval "${n}_prefix=\$found"
done
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$tree/debian/changelog" -S Timestamp)
export SOURCE_DATE_EPOCH
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR

# `set -e` is off inside a condition: the build gets a shell of its own, and its status is looked at afterwards.
set +e
(set -e; cd "$tree"; build) >"$log" 2>&1 9>&-
status=$?
set -e
if [ $status -ne 0 ]; then
	tail -n 20 "$log" >&2
	echo "library $name: build failed with status $status: the whole log is $log, the tree $tree" >&2
	exit 1
fi
[ -n "$(find "$prefix/lib" -name 'lib*.a')" ] || { echo "library $name: expected lib*.a in $prefix/lib, found none: see $log" >&2; exit 1; }
rm -rf "$work" "$prefix/share" "$prefix/lib/pkgconfig"
find "$prefix/lib" -name '*.la' -delete
echo "$name ${fetched%% *} $(($(date +%s) - started)) s" >"$prefix/built"
echo "$prefix"
