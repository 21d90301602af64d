#!/bin/sh
# Unpack a Kubernetes archive beneath a directory, unless what lies there is of this archive already. An archive that
# turns out to be damaged changes nothing.
#
# usage: unpack_kubernetes.sh ARCHIVE DIRECTORY    (makes DIRECTORY/kubernetes/server/bin/...)
set -eu

archive=${1:?usage: unpack_kubernetes.sh ARCHIVE DIRECTORY}
into=${2:?usage: unpack_kubernetes.sh ARCHIVE DIRECTORY}
stamp=$into/kubernetes/.unpacked
is="$(realpath "$archive") $(stat -c '%s %Y' "$archive")"

[ "$(cat "$stamp" 2>/dev/null)" = "$is" ] && exit 0
beside=$into/.kubernetes.new
rm -rf "$beside"
mkdir -p "$beside"
tar -C "$beside" -xzf "$archive" kubernetes/server/bin || {
	rm -rf "$beside"
	echo "unpack $archive: expected a whole gzip archive with kubernetes/server/bin; what was unpacked before stays" >&2
	exit 1
}
echo "$is" >"$beside/kubernetes/.unpacked"
rm -rf "$into/kubernetes"
mv "$beside/kubernetes" "$into/kubernetes"
rmdir "$beside"
