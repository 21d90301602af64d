"""kubectl on the host against a node. The guest is slow, so the host polls, and seldom."""

import json
import pathlib
import shlex
import subprocess
import time

import yaml

from machine import TOP, Trouble

KUBECTL = TOP / "build/kubernetes/server/bin/kubectl"
NOT_BEGUN = "unable to upgrade connection"


class Cluster:
    def __init__(self, kubeconfig):
        self.kubeconfig = pathlib.Path(kubeconfig)

    def kubectl(self, *arguments, input=None, timeout=120, check=True):
        command = [str(KUBECTL), "--kubeconfig", str(self.kubeconfig), f"--request-timeout={timeout}s", *map(str, arguments)]
        try:
            done = subprocess.run(command, input=input, text=True, capture_output=True, timeout=timeout + 30)
        except subprocess.TimeoutExpired:
            raise Trouble(f"kubectl {' '.join(map(str, arguments))}: no answer within {timeout + 30} s") from None
        if check and done.returncode:
            raise Trouble(f"kubectl {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def get(self, *arguments):
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def apply(self, *objects):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        return self.kubectl("apply", "-f", "-", input=text)

    def until(self, what, question, timeout, pause=2.0, still=lambda: None):
        """Ask until the answer is true; a refused or failed request is an answer that is not yet true. `still` raises where
        no answer can come any more."""
        deadline = time.monotonic() + timeout
        seen = None
        while True:
            still()
            try:
                seen = question()
                if seen:
                    return seen
            except Trouble as problem:
                seen = problem
            if time.monotonic() > deadline:
                raise Trouble(f"expected {what} within {timeout} s; last seen: {seen}")
            time.sleep(pause)

    def node_ready(self):
        nodes = self.get("nodes")["items"]
        return [n["metadata"]["name"] for n in nodes
                if any(c["type"] == "Ready" and c["status"] == "True" for c in n["status"]["conditions"])]

    def accepts_pods(self, timeout=240, still=lambda: None):
        """Pods are refused until the controller manager has made the namespace's service account and its token."""
        pod = ("run", "accepted", "--image=none", "--restart=Never", "--dry-run=server")
        self.until("a pod to be accepted", lambda: self.kubectl(*pod), timeout, still=still)

    def phases(self, namespace):
        return {p["metadata"]["name"]: p["status"].get("phase") for p in self.get("pods", "-n", namespace)["items"]}

    def wait_phase(self, pod, phases, timeout=180, namespace="default"):
        def reached():
            status = self.get("pod", pod, "-n", namespace)["status"]
            return status if status.get("phase") in phases else None
        return self.until(f"pod {pod} {' or '.join(phases)}", reached, timeout)


def pod(name, command, image="docker.io/library/busybox:latest", **spec):
    """A pod of a preloaded image that runs once."""
    container = {"name": "main", "image": image, "imagePullPolicy": "Never", "command": command}
    container.update(spec.pop("container", {}))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": {"app": name}},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 5, "containers": [container], **spec}}


class Inspector:
    """What a person at the node would see: a privileged pod in the host's PID namespace, the host's root on /host. It is
    critical, so that pods which take everything do not take it with them; whoever asks first makes it."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.made = False

    @staticmethod
    def pod():
        """The very pod that the README recommends; once ended it stays so, also after a restart of the node."""
        shell = yaml.safe_load((TOP / "configs/examples/pods/node-shell.yaml").read_text())
        shell["metadata"].update(name="inspector", labels={"app": "inspector"})
        shell["spec"]["restartPolicy"] = "Never"
        return shell

    def _make(self):
        if self.made:
            return
        if "inspector" not in self.cluster.phases("default"):
            self.cluster.accepts_pods()
            self.cluster.apply(self.pod())
        self.cluster.wait_phase("inspector", ["Running"])
        self.made = True

    def run(self, script, timeout=60):
        """Run a shell line in it. It is asked for again as long as it did not begin: a kubelet whose runtime was started
        anew finds it only at its next try."""
        self._make()
        deadline = time.monotonic() + timeout
        while True:
            try:
                return self.cluster.kubectl("exec", "inspector", "--", "sh", "-c", script, timeout=timeout)
            except Trouble as problem:
                if NOT_BEGUN not in str(problem) or time.monotonic() > deadline:
                    raise
            time.sleep(1)

    def later(self, script):
        """The same a moment later, from the background: for what ends the very services that the command comes through."""
        self.run(f"(sleep 2; {script}) >/dev/null 2>&1 </dev/null &")

    def keelson(self, *arguments):
        """A command of the node's own program."""
        return self.run("chroot /host /usr/bin/keelson " + shlex.join(arguments))

    def containers(self):
        """Container id and start time of every container that runs, by namespace, pod and name."""
        return {(p["metadata"]["namespace"], p["metadata"]["name"], c["name"]): (c["containerID"], c["state"]["running"]["startedAt"])
                for p in self.cluster.get("pods", "-A")["items"]
                for c in p["status"].get("containerStatuses", []) if "running" in c["state"]}
