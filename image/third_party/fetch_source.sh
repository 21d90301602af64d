#!/bin/sh
# Unpack a Debian source package, patches applied, and print "VERSION DIRECTORY".
#
# The version of `versions`, or the one given, is asked for first. An archive drops old versions at each point release,
# and a mirror may list one that it does not hold, so the others it lists are tried after it, newest first, and the
# choice is told. What was downloaded stays in the cache: the same source is never downloaded twice.
#
# usage: fetch_source.sh SOURCE[=VERSION] DIRECTORY
set -eu

name=${1:?usage: fetch_source.sh SOURCE[=VERSION] DIRECTORY}
into=${2:?usage: fetch_source.sh SOURCE[=VERSION] DIRECTORY}
here=$(cd "$(dirname "$0")" && pwd)
suite=${SUITE:-bookworm}
pinned=$(echo "$name" | sed -n 's/^[^=]*=//p')
name=${name%%=*}
[ -n "$pinned" ] || pinned=$(awk -v n="$name" '$1 == n { print $2 }' "$here/versions")
downloads=${XDG_CACHE_HOME:-$HOME/.cache}/keelson/sources/$name
APT_CONFIG=$("$here/apt_root.sh" "$suite")
export APT_CONFIG

mkdir -p "$downloads"
exec 8>"$downloads/lock"
flock 8

listed=$(apt-cache showsrc "$name" 2>/dev/null |
	awk -v n="$name" '$1 == "Package:" { p = $2 } $1 == "Version:" && p == n { print $2 }' | sort -u -r -V)
for version in $pinned $listed; do
	files=$downloads/$version
	rm -rf "$into"
	mkdir -p "$into" "$files"
	if (cd "$files" && apt-get -q -q source --download-only --only-source "$name=$version" >fetch.log 2>&1) &&
	   (cd "$into" && dpkg-source --no-copy --no-check -x "$files"/*.dsc >>"$files/fetch.log" 2>&1); then
		[ "$version" = "$pinned" ] || echo "fetch source: $name: $version taken, expected ${pinned:-none in versions}" >&2
		echo "$version $(find "$into" -mindepth 1 -maxdepth 1 -type d)"
		exit 0
	fi
	tail -n 3 "$files/fetch.log" >&2
done
echo "fetch source: $name: expected a version that can be downloaded, tried: $pinned" $listed >&2
exit 1
