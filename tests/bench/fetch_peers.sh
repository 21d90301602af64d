#!/bin/sh
# Unpack Debian's packages of the peers of bench-init into FOLDER/root; install nothing. Prints "NAME VERSION" for each.
#
# finit and runit have packages that replace the machine's own init, so none of them is given to dpkg.
set -eu

folder=$1
shift
mkdir -p "$folder/debs" "$folder/root"
cd "$folder/debs"
for name in "$@"; do
	version=$(apt-cache policy "$name" | awk '$1 == "Candidate:" { print $2 }')
	if [ -z "$version" ] || [ "$version" = '(none)' ]; then
		echo "$name none"
		continue
	fi
	unpacked=$name-$(echo "$version" | tr -c 'A-Za-z0-9.+\n-' _)
	if [ ! -e "$unpacked" ]; then
		apt-get -qq -o APT::Sandbox::User=root download "$name=$version" >&2
		dpkg-deb -x "$name"_*.deb "$folder/root"
		rm -f "$name"_*.deb
		: >"$unpacked"
	fi
	echo "$name $version"
done
