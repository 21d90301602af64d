"""What `make run` and `make stop` do: boot the image, show the boot story, say when the node is Ready and what to type next;
press the power button and show what the node still waits for. `idle` fails where a machine runs already."""

import os
import pathlib
import re
import signal
import socket
import sys
import time

from kube import Cluster
from machine import ANSI, TOP, Machine, Monitor, Trouble, kvm_works, make_seed

OUT = TOP / "out"
DIRECTORY = OUT / "run"
READY_SECONDS = 600
OFF_SECONDS = 120  # pods have 30 s, and a busy host makes all of it slower
QUIET_SECONDS = 5
SHUTDOWN = re.compile(r"\[ *[0-9.]+\] shutdown ")


def image(profile, version):
    suffix = "" if profile == "default" else f"-{profile}"
    return OUT / f"keelson{suffix}-{version}-amd64.raw"


def running_pid():
    try:
        pid = int((DIRECTORY / "pid").read_text())
        return pid if "qemu-system" in pathlib.Path(f"/proc/{pid}/cmdline").read_text() else None
    except (OSError, ValueError):
        return None


def must_be_idle():
    if running_pid():
        raise Trouble(f"a machine runs already (pid {running_pid()}): make stop")


class NewLines:
    """What is added to a file from now on, by whole lines."""

    def __init__(self, path):
        self.path, self.rest = path, b""
        self.place = path.stat().st_size if path.exists() else 0

    def read(self):
        if not self.path.exists():
            return []
        with open(self.path, "rb") as file:
            file.seek(self.place)
            data = file.read()
        self.place += len(data)
        *whole, self.rest = (self.rest + data).split(b"\n")
        return [ANSI.sub("", line.decode("utf-8", "replace")) for line in whole]


class Progress:
    """What is printed while the machine goes down: its story of the shutdown, and how long it has been silent."""

    def __init__(self, console, now):
        self.console, self.started, self.said, self.last = console, now, now, "nothing yet"

    def lines(self, now):
        for line in self.console.read():
            if line.strip():
                self.last = line
            if SHUTDOWN.match(line):
                self.said = now
                yield line
        if now - self.said >= QUIET_SECONDS:
            self.said = now
            yield f"run: waiting for the machine to switch off ({now - self.started:.0f} s); the last line of its console: {self.last}"


def stop():
    pid = running_pid()
    if not pid:
        print("run: no machine runs")
        return 0
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(str(DIRECTORY / "qmp.sock"))
    except OSError as error:
        raise Trouble(f"expected the monitor of pid {pid} at {DIRECTORY / 'qmp.sock'}: {error.strerror}; kill it with: kill {pid}") from error
    started = time.monotonic()
    progress = Progress(NewLines(DIRECTORY / "console.log"), started)
    print("run: power button pressed; each pod has up to 30 s to end", flush=True)
    Monitor(s).command("system_powerdown")
    while running_pid() == pid:
        now = time.monotonic()
        for line in progress.lines(now):
            print(line, flush=True)
        if now - started > OFF_SECONDS:
            print(f"run: expected the machine off within {OFF_SECONDS} s, it runs: kill it with: kill {pid}", file=sys.stderr)
            return 1
        time.sleep(0.1)
    for line in progress.lines(started):
        print(line)
    print(f"run: powered off in {time.monotonic() - started:.1f} s")
    return 0


def start(profile, version, user_data, detach):
    must_be_idle()
    source = image(profile, version)
    if not source.exists():
        raise Trouble(f"expected an image {source}, found none: make image PROFILE={profile}")
    try:
        document = pathlib.Path(user_data).read_bytes()
    except OSError as error:
        raise Trouble(f"expected user-data in {user_data}: {error.strerror}") from error
    disk = DIRECTORY / "disk.qcow2"
    if disk.exists() and disk.stat().st_mtime < source.stat().st_mtime:
        disk.unlink()  # an older image's disk: a new image starts anew
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    kind = ("seed.iso", "iso") if profile == "qemu" else ("seed.img", "vfat")
    seed = make_seed(DIRECTORY / kind[0], document, kind=kind[1])
    print(f"run: {source.name} with {user_data}, {'KVM' if kvm_works() else 'no KVM: emulated, Ready takes one to four minutes'}")
    machine = Machine(DIRECTORY, source, profile=profile, seed=seed, port=6443, echo=lambda line: print(line, flush=True))
    started = time.monotonic()
    machine.start()
    machine.monitor.close()  # for `make stop`, which may come before the node is Ready
    try:
        text = machine.kubeconfig(READY_SECONDS)
        (OUT / "kubeconfig").write_text(text)
        os.chmod(OUT / "kubeconfig", 0o600)
        machine.console.wait(r"^\[ *[0-9.]+\] node +.* Ready", READY_SECONDS)
        ready = time.monotonic() - started
        # Who types `get pods -A` now shall see what runs, and who starts a pod shall not be refused.
        machine.console.wait(r"^\[ *[0-9.]+\] node +.*pods of the control plane", READY_SECONDS)
        Cluster(OUT / "kubeconfig").accepts_pods(still=machine.must_run)
    except (Trouble, KeyboardInterrupt):
        machine.power_cut()
        raise
    kubectl = os.path.relpath(TOP / "build/kubernetes/server/bin/kubectl")
    print(f"run: node Ready after {ready:.0f} s. Next:\n"
          f"  {kubectl} --kubeconfig out/kubeconfig get nodes\n"
          f"  {kubectl} --kubeconfig out/kubeconfig get pods -A\n"
          "  make stop", flush=True)
    if detach:
        return 0
    print("run: Ctrl-C powers the machine off", flush=True)
    try:
        machine.process.wait()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        machine.open_monitor()
        print(f"run: powered off in {machine.power_button(OFF_SECONDS):.1f} s")
    return 0


def main():
    if sys.argv[1:] == ["stop"]:
        return stop()
    if sys.argv[1:] == ["idle"]:
        must_be_idle()
        return 0
    if len(sys.argv) != 5:
        print("usage: run.py PROFILE VERSION USER_DATA detach|attach, or run.py stop, or run.py idle", file=sys.stderr)
        return 2
    profile, version, user_data, mode = sys.argv[1:]
    return start(profile, version, user_data, mode == "detach")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        print(f"run: {trouble}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
