#!/bin/sh
# Make an image of the default profile that has the suite's container images (images.txt) preloaded, and print its path.
#
# usage: make_image.sh VERSION TEST_ARCHIVE SERVER_ARCHIVE APT_CONF      (in the top folder; wants build/mkimage, build/pause)
set -eu

version=${1:?usage: make_image.sh VERSION TEST_ARCHIVE SERVER_ARCHIVE APT_CONF}
test_archive=$2
server_archive=$3
apt_conf=$4
third_party=image/third_party
out=out/conformance
busybox=$($third_party/build_busybox.sh)
curl=$($third_party/build_library.sh curl)/bin/curl
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# The full name of an image in images.txt.
name() { awk -v n="$1" '$1 ~ "/" n ":" { print $1 }' "$(dirname "$0")/images.txt"; }

mkdir -p "$out/images"
{
	build/mkimage oci --kind agnhost --archive "$test_archive" --busybox "$busybox" --curl "$curl" \
		--tag "$(name agnhost)" --out "$out/images/agnhost.tar"
	build/mkimage oci --kind busybox --program "$busybox" --tag "$(name busybox)" --out "$out/images/busybox.tar"
	build/mkimage oci --kind base --program build/pause --tag "$(name pause)" --out "$out/images/pause.tar"
	build/mkimage build --version "$version" --kubernetes "$server_archive" --busybox "$busybox" --apt-conf "$apt_conf" \
		--image "agnhost=$out/images/agnhost.tar" --image "busybox-1.29=$out/images/busybox.tar" \
		--image "pause=$out/images/pause.tar" --out "$out"
} >&2
echo "$out/keelson-$version-amd64.raw"
