#!/bin/sh
# Make, or refresh, a private apt root and print the path of its apt.conf.
#
# Everything apt keeps (lists, archives, state) lies under the cache, so that no build needs root and none changes the
# machine. Only three things come from the host: its Debian mirrors, its Acquire settings (proxies) and its keyring.
#
# usage: apt_root.sh SUITE    (DEBIAN_MIRROR, DEBIAN_SECURITY_MIRROR replace the host's mirrors)
set -eu

suite=${1:?usage: apt_root.sh SUITE}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/keelson
root=$cache/apt/$suite
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
max_age_minutes=1440

die() { echo "apt root: $*" >&2; exit 1; }

# The host's own mirror of the archive ($1 is debian or debian-security), without naming any in this project.
host_mirror() {
	apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' "Created-By: Packages" 2>/dev/null |
		awk -v want="/$1/\$" '$2 == "Debian" && $1 ~ want { print $1; exit }'
}

main_mirror=${DEBIAN_MIRROR:-$(host_mirror debian)}
security_mirror=${DEBIAN_SECURITY_MIRROR:-$(host_mirror debian-security)}
[ -n "$main_mirror" ] || die "expected a Debian mirror among the host's apt sources, found none: run apt-get update, or set DEBIAN_MIRROR"
[ -f "$keyring" ] || die "expected $keyring, found nothing: install debian-archive-keyring"

mkdir -p "$root/etc/preferences.d" "$root/etc/apt.conf.d" "$root/lists/partial" "$root/archives/partial" "$root/state"
exec 9>"$root/lock"
flock 9

{
	for kind in deb deb-src; do
		echo "$kind [signed-by=$keyring] $main_mirror $suite main"
		echo "$kind [signed-by=$keyring] $main_mirror $suite-updates main"
		[ -z "$security_mirror" ] || echo "$kind [signed-by=$keyring] $security_mirror $suite-security main"
	done
} >"$root/etc/sources.list.new"

{
	apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|ForceIPv)' | grep -v ' "";$' || true
	cat <<CONF
Dir::Etc "$root/etc";
Dir::Etc::parts "-";
Dir::Etc::sourcelist "$root/etc/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "$root/etc/preferences.d";
Dir::State "$root/state";
Dir::State::lists "$root/lists";
Dir::State::status "$root/state/status";
Dir::Cache "$root";
Dir::Cache::archives "$root/archives";
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
APT::Get::Assume-Yes "true";
Acquire::Languages "none";
CONF
} >"$root/apt.conf"
[ -f "$root/state/status" ] || : >"$root/state/status"

if ! cmp -s "$root/etc/sources.list.new" "$root/etc/sources.list" ||
   [ -z "$(find "$root/updated" -mmin -$max_age_minutes 2>/dev/null)" ]; then
	mv "$root/etc/sources.list.new" "$root/etc/sources.list"
	if APT_CONFIG=$root/apt.conf apt-get -q -q -o APT::Update::Error-Mode=any update >&2; then
		: >"$root/updated"
	elif [ -f "$root/updated" ]; then
		echo "apt root: apt-get update failed for $suite: the lists of $(date -r "$root/updated" +%F) are used" >&2
	else
		die "apt-get update failed for $suite"
	fi
fi
echo "$root/apt.conf"
