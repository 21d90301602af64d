"""Bad input and broken parts: each has a clear message on the console, and loses nothing."""

import re

import pytest

import disk
from conftest import SINGLE, boot_to_ready, fresh
from machine import make_seed, run

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
    place, _ = m.console.wait(r"\] config +.*maintenance mode", 120)
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


def test_one_flipped_byte_of_the_root_stops_the_boot_and_says_so(machine):
    m = machine("flipped")
    with disk.raw(m) as path:
        start, size = disk.partition(path, "keelson_")
        # One byte in each block of the first eighth, so that whatever boot reads first meets one.
        with open(path, "r+b") as f:
            for offset in range(start + 4096 * 16, start + size // 8, 4096):
                f.seek(offset)
                byte = f.read(1)
                f.seek(offset)
                f.write(bytes([byte[0] ^ 1]))
        m.disk.unlink()
        run("qemu-img", "convert", "-O", "qcow2", path, m.disk)
    m.start()
    m.console.wait(r"verity|corrupt", 120)


@pytest.mark.long
def test_no_network_at_all_still_becomes_ready(machine):
    m = machine("no-network", network=False)
    m.start()
    m.console.wait(r"\] node +\S+ Ready", 600)
    assert re.search(r"\] network +", m.console.text())
