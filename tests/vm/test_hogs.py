"""Pods that take everything: the node keeps or regains Ready, the pod can be deleted, and it is told what happened."""

import re

import pytest

from conftest import SINGLE, boot_to_ready, fresh
from kube import Inspector, pod

pytestmark = pytest.mark.long
READY_SECONDS = 300
CONSOLE_SECONDS = 300
DEVOUR = "dd if=/dev/zero of={} bs=1M; sleep 3600"
USER_DATA = SINGLE + "  kubelet:\n    config: {evictionPressureTransitionPeriod: 15s}\n"


@pytest.fixture(scope="module")
def node():
    with fresh("hogs", disk_size="6G", user_data=USER_DATA) as machine:
        cluster = boot_to_ready(machine)
        inspector = Inspector(cluster)
        inspector.run("true")  # before the trouble begins
        yield machine, cluster, inspector


def delete(cluster, name):
    # The API server is one of those who wait for what the pod took.
    request = ("delete", "pod", name, "--wait=false", "--ignore-not-found")
    cluster.until(f"deletion of pod {name} accepted", lambda: [cluster.kubectl(*request)], READY_SECONDS)
    cluster.until(f"pod {name} gone", lambda: name not in cluster.phases("default"), READY_SECONDS)
    cluster.until("the node Ready", cluster.node_ready, READY_SECONDS)


def pressure_is_over(cluster):
    """The kubelet keeps the taint for a while after there is room again: evictionPressureTransitionPeriod."""
    def untainted():
        (node,) = cluster.get("nodes")["items"]
        return not any(t["key"].endswith("-pressure") for t in node["spec"].get("taints", []))
    cluster.until("no taint for the memory or the disk", untainted, READY_SECONDS, pause=10)


def test_a_pod_that_eats_all_memory(node):
    machine, cluster, inspector = node
    cluster.apply(pod("hungry", ["sh", "-c", "for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=2000M & done; wait; sleep 3600"]))
    # The kernel ends it at the limit, unless the kubelet looks just before and evicts it: either is told.
    machine.console.wait(r"\] status +pod default/hungry: the kernel ended its program dd, what all pods may have is used up|"
                         r"\] status +pods: 1 evicted by the kubelet, the last default/hungry at \S+ for lack of memory",
                         CONSOLE_SECONDS, never="Kernel panic")
    cluster.until("the node Ready", cluster.node_ready, READY_SECONDS)
    cluster.until("keelson services to say so", lambda: "for lack of memory" in inspector.keelson("services"), 30)
    delete(cluster, "hungry")
    pressure_is_over(cluster)


def test_a_fork_bomb(node):
    machine, cluster, inspector = node
    cluster.apply(pod("bomb", ["sh", "-c", "b() { b | b & }; b; sleep 3600"]))
    machine.console.wait(r"\] status +pod default/bomb: may have no more processes", CONSOLE_SECONDS, never="Kernel panic")
    delete(cluster, "bomb")


def disk_is_told(machine, inspector, place, name):
    evicted = rf"pods: \d+ evicted by the kubelet, the last default/{name} at \S+ for lack of room on /var"
    machine.console.wait(r"\] status +" + evicted, CONSOLE_SECONDS, since=place, never="Kernel panic")
    services = inspector.keelson("services")
    assert re.search(evicted, services)
    assert re.search(r"/var: (less than 15 %|had less than 15 % free until )", services)


def test_var_filled_through_an_empty_dir(node):
    machine, cluster, inspector = node
    place = len(machine.console)
    cluster.apply(pod("filler", ["sh", "-c", DEVOUR.format("/data/full")], volumes=[{"name": "data", "emptyDir": {}}],
                      container={"volumeMounts": [{"name": "data", "mountPath": "/data"}]}))
    disk_is_told(machine, inspector, place, "filler")
    delete(cluster, "filler")
    pressure_is_over(cluster)


def test_var_filled_by_logs(node):
    machine, cluster, inspector = node
    cluster.apply(pod("talker", ["sh", "-c", "while :; do dd if=/dev/zero bs=1M count=64 2>/dev/null | tr '\\0' x | fold -w 4000; done"]))
    cluster.wait_phase("talker", ["Running"])
    # The kubelet rotates and limits them: what is kept is bounded, and the node stays Ready.
    for _ in range(10):
        cluster.until("the node Ready", cluster.node_ready, READY_SECONDS, pause=6)
    delete(cluster, "talker")


def test_var_filled_through_the_host_s_folder(node):
    machine, cluster, inspector = node
    place = len(machine.console)
    host = {"volumes": [{"name": "var", "hostPath": {"path": "/var"}}],
            "container": {"volumeMounts": [{"name": "var", "mountPath": "/host"}]}}
    cluster.apply(pod("squatter", ["sh", "-c", DEVOUR.format("/host/full")], **host))
    disk_is_told(machine, inspector, place, "squatter")
    delete(cluster, "squatter")
    # What a pod wrote into the host's own folder is nobody's but a person's to take away; containerd has no room to
    # start another pod until then.
    inspector.run("rm -f /host/var/full")
    cluster.until("the node Ready", cluster.node_ready, READY_SECONDS)
    pressure_is_over(cluster)
    cluster.apply(pod("after", ["true"]))
    cluster.wait_phase("after", ["Succeeded"], READY_SECONDS)
