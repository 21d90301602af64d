#!/bin/sh
# Install what build and tests need from Debian (deps.list). Touches nothing when everything is there.
#
# As root it installs; otherwise it shows the list and asks before it runs sudo (ASSUME_YES=1 answers yes).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
wanted=$(awk '!/^#/ && NF { print $1 }' "$here/deps.list")

# dpkg-query names the packages it does not know on stderr and fails; what it prints is what is there.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | awk '$1 == "installed" { print $2 }' || true)
missing=$(printf '%s\n' "$wanted" | grep -vxF -e "$installed" || true)
if [ -z "$missing" ]; then
	echo "deps: all $(echo "$wanted" | wc -l) packages are installed"
	exit 0
fi

echo "deps: missing:"
for p in $missing; do
	awk -v p="$p" '$1 == p { print "  " $0 }' "$here/deps.list"
done

as_root=''
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || { echo "deps: expected root or sudo, found neither: run as root: apt-get install --no-install-recommends" $missing >&2; exit 1; }
	as_root=sudo
	if [ "${ASSUME_YES:-}" != 1 ]; then
		[ -t 0 ] || { echo "deps: no terminal to ask on: run make deps in one, or set ASSUME_YES=1" >&2; exit 1; }
		printf 'deps: install them with sudo apt-get? [y/N] '
		read -r answer
		case $answer in [yY]*) ;; *) echo "deps: nothing was installed" >&2; exit 1 ;; esac
	fi
fi
$as_root apt-get -q update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing
echo "deps: installed" $missing
