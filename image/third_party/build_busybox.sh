#!/bin/sh
# Build BusyBox (static, musl) from its Debian source with busybox.config, and print the path of the program.
#
# The program's applets are listed, one a line, in the file `applets` beside it: mkimage makes links from it.
#
# usage: build_busybox.sh
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/keelson/busybox
config=$here/busybox.config
version=$(awk '$1 == "busybox" { print $2 }' "$here/versions")
key=$({
	cat "$config" "$here/build_busybox.sh" "$here/musl_cc.sh"
	echo "$version"
	gcc -dumpfullversion
	dpkg-query -W -f '${Package} ${Version}\n' musl-dev linux-libc-dev
} | sha256sum | cut -c1-16)
out=$cache/$key
mkdir -p "$cache"
exec 9>"$out.lock"
[ -f "$out/busybox" ] || flock 9
if [ -f "$out/busybox" ]; then
	echo "$out/busybox"
	exit 0
fi

started=$(date +%s)
log=$out.log
work=/var/tmp/keelson-busybox-$key
echo "busybox: building" >&2
fetched=$("$here/fetch_source.sh" busybox "$work" 9>&-)
tree=${fetched#* }
export PATH="$here:$PATH" LC_ALL=C
unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS LDFLAGS
KCONFIG_NOTIMESTAMP=1
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$tree/debian/changelog" -S Timestamp)
export KCONFIG_NOTIMESTAMP SOURCE_DATE_EPOCH

# Most options are on by default: name every one that our file does not, as off.
write_config() {
	make allnoconfig </dev/null
	find . -name Config.in -exec awk '$1 == "config" { name = $2 } $1 == "bool" && name { print name; name = "" }' {} + |
		sort -u >bool_options
	grep '^CONFIG_' "$config" | sort >wanted
	sed 's/^CONFIG_//; s/=.*//' wanted >wanted_names
	{
		cat wanted
		grep -vxF -f wanted_names bool_options | sed 's/.*/# CONFIG_& is not set/'
	} >.config
	yes '' | make oldconfig
	grep '^CONFIG_' .config | sort >taken
	comm -23 wanted taken >refused
	if [ -s refused ]; then
		echo "busybox.config: options that do not exist or need another one:"
		cat refused
		return 1
	fi
}

build() {
	write_config
	make -j2 V=1 CC=musl_cc.sh HOSTCC=gcc SKIP_STRIP=y EXTRA_CFLAGS="-ffile-prefix-map=$tree=." busybox
	strip -o busybox.stripped busybox
}

set +e
(set -e; cd "$tree"; build) >"$log" 2>&1 9>&-
status=$?
set -e
if [ $status -ne 0 ]; then
	tail -n 20 "$log" >&2
	echo "busybox: build failed with status $status: the whole log is $log, the tree $tree" >&2
	exit 1
fi
mkdir -p "$out"
"$tree/busybox.stripped" --list >"$out/applets"
cp "$tree/.config" "$out/config"
cp "$tree/busybox.stripped" "$out/busybox.new"
mv "$out/busybox.new" "$out/busybox"
rm -rf "$work"
echo "busybox: ${fetched%% *}, $(stat -c %s "$out/busybox") bytes, $(wc -l <"$out/applets") applets, $(($(date +%s) - started)) s" >&2
echo "$out/busybox"
