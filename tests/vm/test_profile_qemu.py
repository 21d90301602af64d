"""Profile qemu: a q35 machine with the seed on an AHCI CD, an e1000e card and an NVMe disk; what is plugged later appears."""

import pytest

from conftest import SINGLE, WORK, boot_to_ready, fresh
from kube import pod
from machine import make_seed, run

pytestmark = pytest.mark.long


def test_it_is_ready_and_a_disk_and_a_card_plugged_later_appear():
    WORK.mkdir(parents=True, exist_ok=True)
    seed = make_seed(WORK / "profile-qemu.iso", SINGLE, kind="iso")
    extra = ["-device", "pcie-root-port,id=slot1,chassis=1", "-device", "pcie-root-port,id=slot2,chassis=2"]
    with fresh("profile-qemu", profile="qemu", seed=seed, extra=extra) as machine:
        cluster = boot_to_ready(machine)
        later = machine.directory / "later.raw"
        run("mke2fs", "-q", "-t", "ext4", "-L", "LATER", later, "16M")
        machine.monitor.command("blockdev-add", driver="raw", node_name="later", file={"driver": "file", "filename": str(later)})
        machine.monitor.command("device_add", driver="nvme", drive="later", id="later-disk", serial="later", bus="slot1")
        machine.monitor.command("netdev_add", type="user", id="net2", net="10.88.0.0/24")
        machine.monitor.command("device_add", driver="e1000e", netdev="net2", id="later-card", bus="slot2")
        look = pod("look", ["sh", "-c", "while :; do sleep 3600; done"], hostNetwork=True,
                   volumes=[{"name": "dev", "hostPath": {"path": "/dev"}}],
                   container={"volumeMounts": [{"name": "dev", "mountPath": "/hostdev"}]})
        cluster.accepts_pods()
        cluster.apply(look)
        cluster.wait_phase("look", ["Running"])

        def sees(command, text):
            return lambda: text in cluster.kubectl("exec", "look", "--", "sh", "-c", command)
        cluster.until("the disk by its label", sees("ls /hostdev/disk/by-label", "LATER"), 60)
        cluster.until("the card with an address", sees("ip addr", "10.88.0."), 60)
