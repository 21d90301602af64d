#!/bin/bash
# Two builds of the same commit give the same bytes: in folders of other names, at another time, with another umask, time
# zone and locale. What comes from the cache (Debian packages, Kubernetes, BusyBox, libraries) is the same for both.
#
# usage: reproducible.sh VERSION [PROFILE]      ends with one line "N passed, N failed"
set -eu

version=${1:?usage: reproducible.sh VERSION [PROFILE]}
profile=${2:-default}
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d /var/tmp/keelson-reproducible.XXXXXX)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT

export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
apt=$("$top/image/third_party/apt_root.sh" bookworm)
kubernetes=${KUBERNETES:-$("$top/image/third_party/build_kubernetes.sh" server)}
busybox=$("$top/image/third_party/build_busybox.sh")

# The commit, not the working tree: somebody may be editing that.
mkdir "$work/sources"
git -C "$top" archive HEAD | tar -x -C "$work/sources"

# Build the sources in a folder of their own.
build() {
	local folder=$work/$1
	cp -r "$work/sources" "$folder"
	cd "$folder"
	env -u MAKEFLAGS -u MAKELEVEL make -s VERSION="$version" build/init build/keelson build/mkimage build/pause >/dev/null
	build/mkimage build --profile "$profile" --version "$version" --kubernetes "$kubernetes" --busybox "$busybox" \
		--apt-conf "$apt" >"$work/$1.log" 2>&1 || { tail -n 20 "$work/$1.log" >&2; exit 1; }
}

# shellcheck disable=SC2030
(umask 022; export TZ=UTC LC_ALL=C; build a)
sleep 2
# shellcheck disable=SC2031
(umask 077; export TZ=Asia/Tokyo LC_ALL=C.UTF-8; build another-folder)

passed=0
failed=0
cd "$work/a"
for file in build/init build/keelson build/mkimage build/pause out/*.raw out/*.qcow2; do
	if cmp "$file" "$work/another-folder/$file"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
