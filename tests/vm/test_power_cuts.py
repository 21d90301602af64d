"""Power cuts at moments that a person would name: ten of them, five on a fresh disk, each 0 to 300 ms after a line of
the boot story. The seed of the random moments is printed; KEELSON_CUT_SEED repeats a run."""

import os
import random
import time

import pytest

import disk
from conftest import READY, boot_to_ready, fresh

pytestmark = pytest.mark.long
SEED = int(os.environ.get("KEELSON_CUT_SEED", random.SystemRandom().randrange(1 << 31)))
LINES = [r"\] root ", r"\] storage ", r"\] config ", r"\] containerd +.*ready", r"\] cluster "]


def cut_after(machine, pattern, chance):
    machine.start()
    machine.console.wait(pattern, 240)
    delay = chance.uniform(0, 0.3)
    time.sleep(delay)  # the moment itself is what is tested
    machine.power_cut()
    return delay


@pytest.mark.parametrize("pattern", LINES)
def test_a_cut_during_the_first_boot_costs_nothing(pattern):
    chance = random.Random(f"{SEED} {pattern}")
    with fresh("cut-fresh") as machine:
        delay = cut_after(machine, pattern, chance)
        print(f"seed {SEED}: cut {delay * 1000:.0f} ms after {pattern}")
        cluster = boot_to_ready(machine)
        assert cluster.node_ready()
        machine.power_button(60)
        with disk.raw(machine) as path:
            status, said = disk.check_state(path)
            assert status == 0, said


@pytest.fixture(scope="module")
def used():
    """A node that was Ready once and holds something."""
    with fresh("cut-used") as machine:
        cluster = boot_to_ready(machine)
        cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "namespace": "default"}, "data": {"k": "v"}})
        machine.power_cut()
        yield machine


@pytest.mark.parametrize("pattern", [r"\] storage ", r"\] containerd +.*ready", r"\] kubelet ", r"\] node +API server ready", READY])
def test_a_cut_during_a_later_boot_loses_nothing(used, pattern):
    chance = random.Random(f"{SEED} later {pattern}")
    delay = cut_after(used, pattern, chance)
    print(f"seed {SEED}: cut {delay * 1000:.0f} ms after {pattern}")
    cluster = boot_to_ready(used)
    assert cluster.get("configmap", "kept")["data"] == {"k": "v"}
    used.power_cut()
