#!/bin/sh
# Unpack a Kubernetes archive beneath a directory, unless what lies there is of this archive already.
#
# usage: unpack_kubernetes.sh ARCHIVE DIRECTORY    (makes DIRECTORY/kubernetes/server/bin/...)
set -eu

archive=${1:?usage: unpack_kubernetes.sh ARCHIVE DIRECTORY}
into=${2:?usage: unpack_kubernetes.sh ARCHIVE DIRECTORY}
stamp=$into/kubernetes/.unpacked
is="$(realpath "$archive") $(stat -c '%s %Y' "$archive")"

[ "$(cat "$stamp" 2>/dev/null)" = "$is" ] && exit 0
rm -rf "$into/kubernetes"
mkdir -p "$into"
tar -C "$into" -xzf "$archive" kubernetes/server/bin
echo "$is" >"$stamp"
