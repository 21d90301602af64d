#!/bin/sh
# Make the default image with one more program and service, boot_ready, and print its path.
#
# usage: make_image.sh VERSION KUBERNETES APT_CONF      (in the top folder; wants what `make image` wants)
set -eu

version=${1:?usage: make_image.sh VERSION KUBERNETES APT_CONF}
kubernetes=$2
apt_conf=$3
here=$(dirname "$0")
out=out/bench-boot
busybox=$(image/third_party/build_busybox.sh)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

rm -rf "$out/descriptions" "$out/services"
mkdir -p "$out/descriptions" "$out/services"
cp configs/images/default.yaml "$here/bench.yaml" "$out/descriptions/"
cp configs/images/default.lock "$out/descriptions/bench.lock"
cp configs/services/*.service "$here/boot-ready.service" "$out/services/"
build/mkimage build --profile bench --version "$version" --kubernetes "$kubernetes" --busybox "$busybox" \
	--apt-conf "$apt_conf" --descriptions "$out/descriptions" --services "$out/services" --out "$out" >&2
echo "$out/keelson-bench-$version-amd64.raw"
