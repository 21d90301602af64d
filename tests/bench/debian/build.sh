#!/bin/sh
# Build the disk of Debian's node for `make bench-boot`, and print its path. A disk of the same inputs is taken from the cache.
#
# A GPT with an ESP (systemd-boot, kernel, initramfs) and an ext4 root; no loop device. mmdebstrap runs the packages' own
# scripts in a chroot: root only.
#
# usage: build.sh APT_CONF PROBE      (in the top folder)
set -eu

apt_conf=${1:?usage: build.sh APT_CONF PROBE}
probe=${2:?usage: build.sh APT_CONF PROBE}
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/keelson/bench-debian
suite=bookworm
disk_mib=12288
esp_mib=256
root_uuid=6b65656c-736f-4e00-8000-00000000d12b

die() { echo "bench-debian: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "expected root, found uid $(id -u): mmdebstrap runs the packages' scripts in a chroot"
command -v mmdebstrap >/dev/null || die "expected mmdebstrap, found none: make deps"

packages=$(awk '!/^#/ && NF { print $1 }' "$here/packages")
[ -n "$packages" ] || die "$here/packages: expected names, found none"

# Our words of the command line, but for the root.
cmdline="$(sed 's/#.*//' kernel/cmdline | tr -s ' \n' '\n\n' | grep -v -e '^roothash=' -e '^$' | tr '\n' ' ')"
cmdline="root=UUID=$root_uuid rw ${cmdline}systemd.show_status=no systemd.gpt_auto=no"

# What apt would install now, name and version; the essential packages too.
versions() {
	APT_CONFIG=$apt_conf apt-get -q -s install '?essential' $packages | awk '$1 == "Inst"' | sort
}

versions=$(versions)
[ -n "$versions" ] || die "apt: expected versions of the packages, found none"
key=$({
	echo "$versions"
	echo "$cmdline"
	cat "$0" "$here/packages" "$probe"
	cd "$here/files" && find . -type f | sort | xargs sha256sum
	find . -type f -executable | sort
	sha256sum <"$OLDPWD/configs/containerd.toml"
} | sha256sum | cut -c1-16)
disk=$cache/$key/debian.raw
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
[ -f "$disk" ] && { echo "$disk"; exit 0; }

work=$cache/$key.new
rm -rf --one-file-system "$work"
mkdir -p "$work/esp/loader/entries" "$work/esp/EFI/BOOT"
echo "bench-debian: building (some minutes, once)" >&2
exec 3>&1 4>&2 >"$work/log" 2>&1

finish() {
	status=$?
	[ $status -eq 0 ] || { tail -n 40 "$work/log"; echo "bench-debian: failed; its last lines are above"; } >&4
	rm -rf --one-file-system "$work"
}
trap finish EXIT
apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|ForceIPv)' | grep -v ' "";$' >"$work/acquire.conf" || true

# With few files open: it hands a descriptor to sh by number, and dash takes one digit.
install_packages() {
	grep -h '^deb ' "$(dirname "$apt_conf")/etc/sources.list" | mmdebstrap --variant=apt --format=directory \
		--aptopt="$work/acquire.conf" --include="$(echo $packages | tr ' ' ,)" "$suite" "$work/root" - 3>&- 4>&- 9>&-
	rm -f "$work/root/etc/apt/apt.conf.d/99mmdebstrap"
}

configure() {
	cp -r "$here/files/." "$work/root/"
	install -D -m 0755 "$probe" "$work/root/usr/local/sbin/boot_ready"
	install -D -m 0644 configs/containerd.toml "$work/root/etc/containerd/config.toml"
	: >"$work/root/etc/machine-id"
	rm -f "$work/root/var/lib/dbus/machine-id"
	systemctl --root="$work/root" enable systemd-networkd.service containerd.service boot-ready.service
	# Units that take time and are no part of a boot to a container runtime: the peer is better off without.
	systemctl --root="$work/root" mask systemd-networkd-wait-online.service getty@tty1.service serial-getty@ttyS0.service \
		systemd-logind.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
		e2scrub_reap.service fstrim.timer
	chroot "$work/root" update-initramfs -u -k all
}

make_esp() {
	cp "$work/root/usr/lib/systemd/boot/efi/systemd-bootx64.efi" "$work/esp/EFI/BOOT/BOOTX64.EFI"
	cp "$work"/root/boot/vmlinuz-* "$work/esp/linux"
	cp "$work"/root/boot/initrd.img-* "$work/esp/initrd"
	printf 'timeout 0\n' >"$work/esp/loader/loader.conf"
	printf 'title Debian\nlinux /linux\ninitrd /initrd\noptions %s\n' "$cmdline" >"$work/esp/loader/entries/debian.conf"
	mkfs.vfat -C -n ESP "$work/esp.img" $((esp_mib * 1024))
	mcopy -s -i "$work/esp.img" "$work"/esp/* ::/
}

make_disk() {
	truncate -s ${disk_mib}M "$work/debian.raw"
	printf 'label: gpt\nstart=1MiB, size=%dMiB, type=uefi, name=esp\nsize=%dMiB, type=linux, name=root\n' \
		$esp_mib $((disk_mib - esp_mib - 2)) | sfdisk -q "$work/debian.raw"
	dd if="$work/esp.img" of="$work/debian.raw" bs=1M seek=1 conv=notrunc,sparse status=none
	mke2fs -q -F -t ext4 -L root -U $root_uuid -d "$work/root" \
		-E offset=$(((esp_mib + 1) * 1048576)),root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0 \
		"$work/debian.raw" $(((disk_mib - esp_mib - 2) * 1024))k
}

install_packages
configure
make_esp
make_disk
mkdir -p "$cache/$key"
echo "$versions" >"$cache/$key/versions"
mv "$work/debian.raw" "$disk"
echo "$disk" >&3
