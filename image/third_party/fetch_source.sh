#!/bin/sh
# Unpack a Debian source package, patches applied, and print "VERSION DIRECTORY".
#
# The version of `versions` is asked for first. An archive drops old versions at each point release, and a mirror
# may list one that it does not hold, so the others it lists are tried after it, newest first, and the choice is told.
#
# usage: fetch_source.sh SOURCE DIRECTORY
set -eu

name=${1:?usage: fetch_source.sh SOURCE DIRECTORY}
into=${2:?usage: fetch_source.sh SOURCE DIRECTORY}
here=$(cd "$(dirname "$0")" && pwd)
suite=${SUITE:-bookworm}
APT_CONFIG=$("$here/apt_root.sh" "$suite")
export APT_CONFIG

pinned=$(awk -v n="$name" '$1 == n { print $2 }' "$here/versions")
listed=$(apt-cache showsrc --only-source "$name" 2>/dev/null | sed -n 's/^Version: //p' | sort -u -r -V)
for version in $pinned $listed; do
	rm -rf "$into"
	mkdir -p "$into"
	if (cd "$into" && apt-get -q -q source --only-source "$name=$version" >fetch.log 2>&1); then
		[ "$version" = "$pinned" ] || echo "fetch source: $name: $version taken, versions names ${pinned:-none}" >&2
		echo "$version $(find "$into" -mindepth 1 -maxdepth 1 -type d)"
		exit 0
	fi
	tail -n 3 "$into/fetch.log" >&2
done
echo "fetch source: $name: expected a version that can be downloaded, tried: $pinned $(echo $listed)" >&2
exit 1
