#!/bin/sh
# Build the libraries that the shipped programs link, and print the path of one prefix with all of them: include/, lib/.
#
# Each library has a cache of its own (build_library.sh); here they are only put together, by hard links. Safe to run at
# any time, and by several at once. Says nothing when there is nothing to build.
set -eu

libraries="jansson libyaml zlib zstd xz util-linux libarchive openssl curl"
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/keelson

keys=$(for n in $libraries; do "$here/build_library.sh" --key "$n"; done)
prefix=$cache/libraries/$(echo "$keys" | sha256sum | cut -c1-16)
if [ -f "$prefix/built" ]; then
	echo "$prefix"
	exit 0
fi

new=$cache/libraries/new.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new"
count=$(echo $libraries | wc -w)
number=0
for n in $libraries; do
	number=$((number + 1))
	started=$(date +%s)
	echo "libraries: $number/$count $n" >&2
	one=$("$here/build_library.sh" "$n")
	cp -al "$one/include" "$one/lib" "$new/"
	cat "$one/built" >>"$new/built"
	echo "libraries: $number/$count $n $(($(date +%s) - started)) s" >&2
done
# Whoever made the same prefix meanwhile was first, and made the same.
mv -T "$new" "$prefix" 2>/dev/null || [ -f "$prefix/built" ]
echo "$prefix"
