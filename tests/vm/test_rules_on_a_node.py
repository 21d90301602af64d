"""The rules of PID 1, each shown once on a real node with containerd or the kubelet: spawn, order, restart, stop, logs, ends.

Liveness (a service that is stopped by SIGSTOP) is in test_life_of_a_node.py, the watchdog in test_watchdog.py.
"""

import re

import pytest

from conftest import READY, READY_SECONDS, boot_to_ready, fresh
from kube import Inspector

pytestmark = pytest.mark.long
LONG = 120


class Ruled:
    def __init__(self):
        self.machine = fresh("rules")
        self.cluster = boot_to_ready(self.machine)
        self.inspector = Inspector(self.cluster)

    def ready_again(self, place):
        """The machine restarts by itself, with the same disk; the host's port stays."""
        self.machine.console.wait(READY, READY_SECONDS, since=place, never="Kernel panic|maintenance mode")
        self.inspector = Inspector(self.cluster)
        self.cluster.until("the node Ready", self.cluster.node_ready, LONG)


@pytest.fixture(scope="module")
def node():
    ruled = Ruled()
    yield ruled
    ruled.machine.close()


# The kubelet lowers its own bound (maxOpenFiles); a Go program blocks signals in one thread of its own.
@pytest.mark.parametrize("service, files", [("containerd", 1048576), ("kubelet", 1000000)])
def test_a_service_is_what_its_file_says(node, service, files):
    group = f"/sys/fs/cgroup/kube/{service}"
    said = node.inspector.run(f"""p=$(pidof {service}); cd /proc/$p; cat limits; grep -hE '^Sig(Blk|Ign)' task/*/status
        echo "oom $(cat oom_score_adj)"; echo "in $(cat cgroup)"; echo "stdin $(readlink fd/0)"
        set -- $(sed 's/.*) //' stat); echo "leads $(($4 == $p)) terminal $5"
        cat /host{group}/memory.min /host/sys/fs/cgroup/kube/cpu.weight; readlink exe""")
    assert re.search(rf"Max open files +{files} +{files}", said), said
    assert re.search(r"Max core file size +unlimited +unlimited", said), said
    assert re.search(r"SigBlk:\t0{16}\nSigIgn:\t0{16}", said), said
    assert re.search(rf"oom -999\nin 0::\S*/kube/{service}\nstdin /dev/null\nleads 1 terminal 0\n67108864\n1000\n/usr/", said), said


def test_each_starts_when_what_it_needs_is_ready_and_the_boot_can_be_read(node):
    lines = [m[1] for _, text in node.machine.console.lines if (m := re.match(r"\[ *[0-9.]+\] (\S+) +(?:ready|done|/dev|Kubernetes)", text))]
    places = [lines.index(name) for name in ("storage", "containerd", "kubelet")]
    assert places == sorted(places), lines
    table = node.inspector.keelson("boot")
    for name in ("storage", "network", "containerd", "cluster", "kubelet"):
        assert re.search(rf" {name}$", table, re.M), table
    assert node.inspector.keelson("boot", "--svg", "/run/boot.svg") == ""
    assert node.inspector.run("head -c 4 /host/run/boot.svg") == "<svg"


def test_a_crash_after_a_healthy_time_is_mended_at_once_and_the_next_one_waits(node):
    before, place = node.inspector.containers(), len(node.machine.console)
    node.inspector.later('old=$(pidof kubelet); kill -9 $old; until new=$(pidof kubelet) && [ "$new" != "$old" ]; do sleep 0.1; done; kill -9 $new')
    first, _ = node.machine.console.wait(r"\] kubelet +ended by signal 9", LONG, since=place)
    second, _ = node.machine.console.wait(r"\] kubelet +ended by signal 9", LONG, since=first + 1)
    assert "starts again in" not in node.machine.console.text(first).split("ended by signal 9")[1]
    node.machine.console.wait(r"\] kubelet +starts again in [0-9.]+ m?s \(failure [0-9] in a row\)", LONG, since=second)
    node.machine.console.wait(r"\] kubelet +.*ready", LONG, since=second)
    node.cluster.until("the node Ready", node.cluster.node_ready, LONG)
    assert re.search(r"^kubelet +up .*started [0-9]+ times", node.inspector.keelson("services"), re.M)
    after = node.inspector.containers()
    assert {k: v for k, v in after.items() if k in before} == before


@pytest.mark.parametrize("service", ["kubelet", "containerd"])
def test_a_stop_ends_the_main_process_alone_and_pods_live_on(node, service):
    before, place = node.inspector.containers(), len(node.machine.console)
    shims = node.inspector.run("pidof containerd-shim-runc-v2 | tr ' ' '\\n' | sort")
    node.inspector.later(f"chroot /host keelson stop {service}; pidof {service} >/host/run/left; "
                         f"pidof containerd-shim-runc-v2 | tr ' ' '\\n' | sort >/host/run/shims; sleep 5; chroot /host keelson start {service}")
    place, _ = node.machine.console.wait(rf"\] {service} +stopped \(", LONG, since=place)
    node.machine.console.wait(rf"\] {service} +.*ready", LONG, since=place)
    # The kubelet dials containerd again after a pause that grows while nobody listens.
    node.cluster.until("a command in a pod", lambda: node.inspector.run("echo here"), LONG)
    assert node.inspector.run("cat /host/run/left") == ""
    assert node.inspector.run("cat /host/run/shims") == shims
    after = node.inspector.containers()
    assert {k: v for k, v in after.items() if k in before} == before


def test_logs_name_time_and_stream_and_go_on_over_restarts(node):
    said = node.inspector.keelson("logs", "-n", "200", "kubelet").splitlines()
    assert len(said) == 200
    for line in said:
        assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z kubelet (out|err|init) ", line), line
    assert "Linux version" in node.inspector.run("head -n 3 /host/var/log/keelson/kernel.log")


def test_a_restart_is_asked_for_and_happens(node):
    node.cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "namespace": "default"}, "data": {"k": "v1"}})
    place = len(node.machine.console)
    node.inspector.later("chroot /host keelson reboot")
    place, _ = node.machine.console.wait(r"\] shutdown +reboot", LONG, since=place)
    node.ready_again(place)
    assert node.cluster.get("configmap", "kept")["data"] == {"k": "v1"}
    node.machine.console.wait(r"\] storage +.* clean, on /var", 1, since=place)


def test_a_fault_of_pid_1_restarts_the_machine_and_the_next_boot_says_so(node):
    node.cluster.kubectl("delete", "pod", "inspector", "--ignore-not-found", "--grace-period=0", "--force")
    place = len(node.machine.console)
    node.inspector.later("kill -SEGV 1")
    place, _ = node.machine.console.wait(r"fault in PID 1: SIGSEGV", LONG, since=place)
    node.machine.console.wait(r"\] last-words +the boot before ended with fault in PID 1: SIGSEGV", LONG, since=place)
    node.ready_again(place)
