"""The hardware watchdog of a q35 machine resets a PID 1 that stands still, and the next boot says why."""

import pytest

from conftest import SINGLE, WORK, boot_to_ready, fresh
from kube import Inspector
from machine import make_seed

pytestmark = pytest.mark.long


def test_a_pid_1_that_stands_still_is_reset_and_the_next_boot_says_why():
    WORK.mkdir(parents=True, exist_ok=True)
    seed = make_seed(WORK / "watchdog.iso", SINGLE, kind="iso")
    with fresh("watchdog", profile="qemu", seed=seed, extra=["-device", "i6300esb", "-action", "watchdog=reset"]) as machine:
        cluster = boot_to_ready(machine)
        machine.console.wait(r"\] init +the hardware watchdog is armed", 1)
        place = len(machine.console)
        # No debugger can hold PID 1 longer than the freezer does: not one instruction of it runs any more.
        Inspector(cluster).later("echo 1 >/host/sys/fs/cgroup/init/cgroup.freeze")
        place, _ = machine.console.wait(r"\] kernel ", 180, since=place, never=r"\] shutdown ")
        machine.console.wait(r"\] init +the boot before was ended by the hardware watchdog", 180, since=place)
