"""Bad input and broken parts: each has a clear message on the console, and loses nothing."""

import re

import pytest

import disk
from conftest import SINGLE, fresh
from machine import make_seed

WRONG = {
    "wrong yaml": ("#cloud-config\nhostname: [unclosed\n", r"user-data:\d+:\d+: "),
    "a wrong type": ("#cloud-config\nkeelson: {role: single, cluster: {pod_cidr: 10.244.0.0}}\n",
                     r"user-data:2:\d+: keelson\.cluster\.pod_cidr: expected .*10\.244\.0\.0"),
    "an unknown key": ("#cloud-config\nkeelson: {rolle: single}\n", r"user-data:2:\d+: keelson\.rolle: .*role"),
}


@pytest.fixture
def machine():
    made = []

    def make(name, **keywords):
        made.append(fresh(name, **keywords))
        return made[-1]

    yield make
    for m in made:
        m.close()


def test_unusable_user_data_is_explained_every_15_s_and_a_corrected_seed_goes_on(machine):
    m = machine("maintenance", seed=False)
    m.start()
    m.console.wait(r"\] config +no disk labelled cidata \(looked at .+\)", 120)
    place, _ = m.console.wait(r"\] config +maintenance mode: the node waits for a seed labelled cidata", 10)
    seeds = m.directory
    for number, (what, (text, reason)) in enumerate(WRONG.items()):
        m.change_medium(make_seed(seeds / f"wrong{number}.iso", text, kind="iso"))
        place, _ = m.console.wait(reason, 60, since=place + 1)
    first, _ = m.console.wait(reason, 40, since=place + 1)
    second, _ = m.console.wait(reason, 40, since=first + 1)
    apart = m.console.lines[second][0] - m.console.lines[first][0]
    assert 5 <= apart <= 25, f"expected the reason about every 15 s, found {apart:.1f} s"
    m.change_medium(make_seed(seeds / "right.iso", SINGLE, kind="iso"))
    m.console.wait(r"\] config +NoCloud on ", 60, since=second)
    m.console.wait(r"\] cluster +", 60, since=second)


def test_without_a_disk_that_holds_our_root_the_boot_says_what_it_waits_for_and_restarts(machine):
    m = machine("no-root", own_disk=False)
    kernel, initramfs, cmdline = disk.take_apart(m.image, m.directory)
    m.extra = ["-kernel", str(kernel), "-initrd", str(initramfs), "-append", f"{cmdline} keelson.wait=8"]
    m.start()
    place, _ = m.console.wait(r"\] root +waiting for the disk with partition [0-9a-f-]{36} \(5 s; gives up after 8 s\); disks: .*vda", 120)
    place, _ = m.console.wait(r"\] root +expected a disk with partition .*, found none in 8 s; disks: .*vda", 30, since=place)
    place, _ = m.console.wait(r"\] init +restarts in 10 s", 10, since=place)
    m.console.wait(r"\] kernel ", 60, since=place)


def test_one_flipped_byte_of_the_root_stops_the_boot_and_says_so(machine):
    m = machine("flipped")
    disk.flip_root(m)
    m.start()
    m.console.wait(r"verity|corrupt", 120)


KEPT = {"lib/keelson/kept": "kept\n", "lib/adrift/named": "adrift\n"}
GROUP = 32768 * 4096
COPIES = [group * GROUP for group in (1, 3, 5, 7, 9, 25, 27, 49, 81)]


def test_a_state_that_lost_its_head_and_a_directory_is_repaired_and_keeps_its_data(machine):
    m = machine("state-damaged", disk_size="6G")
    with disk.edited(m) as path:
        disk.make_state(path, KEPT)
        disk.debugfs(path, "clri /lib/adrift")
        disk.spoil(path, [0], 65536)
    m.start()
    place, _ = m.console.wait(r"\] storage +/dev/vda7 is damaged \(e2fsck -p ended with \d+\), repairing it", 120, never="Kernel panic")
    place, _ = m.console.wait(r"\] storage +/dev/vda7 .* ext4 repaired, what had lost its name is in lost\+found, on /var", 60, since=place)
    m.console.wait(r"\] config +NoCloud on ", 60, since=place)
    m.power_cut()
    with disk.raw(m) as path:
        assert disk.is_marked(path), "expected the partition table to say that state is in use"
        assert disk.debugfs(path, "cat /lib/keelson/kept") == "kept\n"
        found = re.findall(r"#\d+", disk.debugfs(path, "ls /lost+found"))
        assert "adrift\n" in [disk.debugfs(path, f"cat /lost+found/{name}") for name in found], found


def test_a_state_of_which_nothing_can_be_read_stops_the_boot_and_is_not_written_to(machine):
    m = machine("state-lost", disk_size="6G")
    with disk.edited(m) as path:
        disk.make_state(path, KEPT)
        disk.mark_state(path)
        disk.spoil(path, [0, *COPIES], 65536)
        before = disk.sha256(path, "state")
    m.start()
    m.console.wait(r"storage.*/dev/vda7: expected the ext4 that was there, found nothing of it", 120, never=r"Kernel panic|\] storage +.*formatted")
    m.console.wait(r"nothing on /dev/vda7 was given up", 30)
    m.power_cut()
    with disk.raw(m) as path:
        assert disk.sha256(path, "state") == before


@pytest.mark.long
def test_what_cni_remembers_of_an_earlier_boot_s_pods_is_forgotten(machine):
    m = machine("stale-cni", disk_size="6G")
    with disk.edited(m) as path:
        # Half a line, as a power cut leaves it: containerd would keep the pod for ever.
        disk.make_state(path, KEPT | {"lib/cni/results/keelson-05747436-eth0": "{"})
    m.start()
    m.console.wait(r"\] containerd +ready", 120, never="Kernel panic")
    m.power_button(60)
    with disk.raw(m) as path:
        assert "keelson-05747436" not in disk.debugfs(path, "ls /lib/cni/results")
        assert disk.debugfs(path, "cat /lib/keelson/kept") == "kept\n"


@pytest.mark.long
def test_with_a_full_state_the_control_plane_comes_up_from_what_is_reserved(machine):
    m = machine("state-full", disk_size="6G")
    with disk.edited(m) as path:
        disk.make_state(path, KEPT)
        disk.fill_state(path)
    m.start()
    bad = "Kernel panic|No space left"
    m.console.wait(r"\] storage +/var is full: .* left, of them 0 bytes for pods", 120, never=bad)
    m.console.wait(r"\] config +NoCloud on ", 60, never=bad)
    m.console.wait(r"\] containerd +ready", 120, never=bad)
    m.console.wait(r"\] node +API server ready", 480, never=bad)


def test_without_a_dhcp_answer_the_network_says_so_in_time_and_the_boot_goes_on(machine):
    silent = ["-netdev", "hubport,id=silent,hubid=0", "-device", "virtio-net-pci,netdev=silent,mac=52:54:00:4b:45:32"]
    m = machine("no-dhcp", network=False, extra=silent)
    m.start()
    configured, _ = m.console.wait(r"\] config +NoCloud on ", 120)
    alone, _ = m.console.wait(r"\] network +eth0 has no DHCP answer: the node works alone, as 10\.255\.255\.1", 60)
    m.console.wait(r"\] cluster +Kubernetes .*API server 10\.255\.255\.1:6443", 60)
    m.console.wait(r"\] containerd +ready", 60)
    waited = m.console.lines[alone][0] - m.console.lines[configured][0]
    assert 9 <= waited <= 20, f"expected the network to give up after about 10 s, it took {waited:.1f} s"


@pytest.mark.long
def test_no_network_at_all_still_becomes_ready(machine):
    m = machine("no-network", network=False)
    m.start()
    m.console.wait(r"\] node +\S+ Ready", 600)
    assert re.search(r"\] network +", m.console.text())
