"""One node from its first boot to its power-off: what a person does with it, then power cuts, then the button.

The tests stand in the order of that life and share its boots.
"""

import base64
import json
import re
import ssl
import subprocess

import pytest

import disk
from conftest import boot_to_ready, fresh, image
from kube import Inspector, pod
from machine import Trouble

pytestmark = pytest.mark.life
STATIC = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"]


class Life:
    """The machine and the cluster in it; `shared` carries what one test makes and a later one looks for."""

    def __init__(self):
        self.machine = fresh("life")
        self.shared = {}
        self.root = disk.sha256(image(), "keelson_")
        self.boot()

    def boot(self):
        self.cluster = boot_to_ready(self.machine)
        self.inspector = Inspector(self.cluster)

    def serving_certificate(self):
        return ssl.get_server_certificate(("127.0.0.1", self.machine.port))


@pytest.fixture(scope="module")
def life():
    life = Life()
    yield life
    life.machine.close()


def test_the_node_is_ready(life):
    assert len(life.cluster.node_ready()) == 1


def test_the_control_plane_runs_as_static_pods(life):
    def running():
        phases = life.cluster.phases("kube-system")
        return all(any(name.startswith(s) and phase == "Running" for name, phase in phases.items()) for s in STATIC) and phases
    life.cluster.until(f"{STATIC} Running", running, 240)


def test_the_boot_story_says_each_step(life):
    text = life.machine.console.text()
    for step in ("root", "storage", "config", "network", "containerd", "cluster", "kubelet", "node"):
        assert re.search(rf"^\[ *[0-9]+\.[0-9][0-9]\] {step} ", text, re.M), f"no line of {step}:\n{text}"
    life.machine.console.wait(r"\] status +\S+: single of cluster \S+; Keelson \S+ slot A, Kubernetes v", 60)
    life.machine.console.wait(r"\] status +addresses: 10\.0\.2\.15", 60)


SERVICE_IP = "10.96.0.80"
ASK = f"for i in 1 2 3 4 5 6 7 8 9 10; do wget -q -T 5 -O - http://{SERVICE_IP}/ && exit 0; sleep 3; done; exit 1"
INSTALL = "cp /bin/busybox /opt/cni/bin/probe-cni && echo '{}' >/etc/cni/net.d/99-probe.conf.off && ls /opt/cni/bin"


def workloads():
    """What a person runs first, all of it at once: pods start side by side."""
    yield pod("hello", ["sh", "-c", "echo hello from $(hostname)"])
    show = "cat /proc/self/attr/current; grep -E '^Seccomp:' /proc/self/status"
    yield pod("confined", ["sh", "-c", show], securityContext={"seccompProfile": {"type": "RuntimeDefault"}})
    yield pod("web", ["sh", "-c", "mkdir /w && echo served >/w/index.html && exec httpd -f -p 8080 -h /w"],
              container={"readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 2}})
    yield {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
           "spec": {"clusterIP": SERVICE_IP, "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}}
    folders = [("bin", "/opt/cni/bin"), ("conf", "/etc/cni/net.d")]
    installer = pod("cni-installer", ["sh", "-c", INSTALL + " && while :; do sleep 3600; done"],
                    volumes=[{"name": n, "hostPath": {"path": p}} for n, p in folders], restartPolicy="Always",
                    container={"volumeMounts": [{"name": n, "mountPath": p} for n, p in folders]})
    yield {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "cni-installer", "namespace": "default"},
           "spec": {"selector": {"matchLabels": {"app": "cni-installer"}},
                    "template": {"metadata": {"labels": {"app": "cni-installer"}}, "spec": installer["spec"]}}}


def test_a_pod_of_a_preloaded_image_completes_and_its_log_is_read(life):
    life.cluster.accepts_pods()
    life.cluster.apply(*workloads(), life.inspector.pod())
    life.cluster.wait_phase("hello", ["Succeeded"])
    assert life.cluster.kubectl("logs", "hello") == "hello from hello\n"


def test_apparmor_and_seccomp_are_enforced_in_a_pod(life):
    life.cluster.wait_phase("confined", ["Succeeded"])
    said = life.cluster.kubectl("logs", "confined")
    assert "cri-containerd.apparmor.d (enforce)" in said
    assert re.search(r"Seccomp:\s+2", said)


def test_a_cluster_ip_service_answers_from_a_pod(life):
    life.cluster.wait_phase("web", ["Running"])
    life.cluster.apply(pod("asks", ["sh", "-c", ASK]))
    life.cluster.wait_phase("asks", ["Succeeded", "Failed"])
    assert life.cluster.kubectl("logs", "asks").endswith("served\n")


def test_the_host_is_read_only_and_runs_nothing_else(life):
    refused = life.inspector.run("touch /host/x 2>&1 || true; touch /host/usr/bin/x 2>&1 || true")
    assert refused.count("Read-only file system") == 2
    # One line per process outside kubepods: its cgroup and its executable, as the host's mount namespace names it.
    listing = life.inspector.run(r"""for p in /proc/[0-9]*; do e=$(readlink $p/exe) || continue
        c=$(sed 's/^0:://' $p/cgroup); case $c in */kubepods*) continue;; esac
        echo "$c $e"; done""", timeout=120)
    services = life.inspector.run("ls /host/sys/fs/cgroup/system /host/sys/fs/cgroup/kube")
    for line in listing.splitlines():
        cgroup, executable = line.split(" ", 1)
        place = cgroup.replace("/../..", "").strip("/").split("/")
        assert place[-1] in services or "init" in place, f"a process outside every service: {line}"
        assert executable.startswith(("/usr/", "/sbin/", "/bin/")), f"its program is not on the verified root: {line}"
        assert not executable.endswith(" (deleted)"), line


def test_a_cni_installer_can_add_its_binary_and_configuration(life):
    life.cluster.until("the installer ready", lambda: life.cluster.get("daemonset", "cni-installer")["status"].get("numberReady") == 1, 120)
    assert "probe-cni" in life.inspector.run("ls /host/opt/cni/bin")
    assert "99-probe.conf.off" in life.inspector.run("ls /host/etc/cni/net.d")


@pytest.mark.parametrize("service, signal", [("containerd", "KILL"), ("kubelet", "KILL"),
                                             pytest.param("kubelet", "STOP", marks=pytest.mark.long),
                                             pytest.param("containerd", "STOP", marks=pytest.mark.long)])
def test_a_killed_or_stopped_service_is_mended_and_containers_live_on(life, service, signal):
    before = life.inspector.containers()
    place = len(life.machine.console)
    life.inspector.later(f"kill -{signal} $(pidof {service})")
    life.machine.console.wait(rf"\] {service} +.*ready", 180, since=place)
    life.cluster.until("the node Ready", life.cluster.node_ready, 180)
    after = life.inspector.containers()
    assert {k: v for k, v in after.items() if k in before} == before


def test_what_the_cluster_holds_is_made(life):
    life.cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "namespace": "default"}, "data": {"k": "v1"}})
    secret = life.cluster.get("serviceaccount", "default")["secrets"][0]["name"]
    life.shared["token"] = base64.b64decode(life.cluster.get("secret", secret)["data"]["token"]).decode()
    life.shared["certificate"] = life.serving_certificate()


@pytest.mark.parametrize("cut", [1, 2])
def test_after_a_power_cut_everything_is_there_and_certificates_are_new(life, cut):
    life.machine.power_cut()
    life.boot()
    assert life.cluster.get("configmap", "kept")["data"] == {"k": "v1"}
    answer = subprocess.run(["curl", "-sk", "-H", f"Authorization: Bearer {life.shared['token']}",
                             f"https://127.0.0.1:{life.machine.port}/apis"], capture_output=True, text=True, timeout=60)
    assert json.loads(answer.stdout).get("kind") == "APIGroupList", answer.stdout
    certificate = life.serving_certificate()
    assert certificate != life.shared["certificate"]
    life.shared["certificate"] = certificate


def test_the_power_button_ends_it_cleanly_and_the_root_is_as_built(life):
    for name in ("inspector", "web", "hello", "confined", "asks"):
        life.cluster.kubectl("delete", "pod", name, "--wait=false", "--ignore-not-found")
    life.cluster.kubectl("delete", "daemonset", "cni-installer", "--ignore-not-found")
    life.cluster.until("only the control plane", lambda: not life.cluster.get("pods", "-n", "default")["items"], 180)
    seconds = life.machine.power_button(60)
    assert seconds <= 20, f"expected off within 20 s, took {seconds:.1f} s\n{life.machine.console.tail()}"
    with disk.raw(life.machine) as path:
        status, said = disk.check_state(path)
        assert status == 0, said
        assert disk.sha256(path, "keelson_") == life.root
