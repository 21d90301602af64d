"""What `make run` and `make stop` do: boot the image, show the boot story, say when the node is Ready and what to type next."""

import os
import pathlib
import signal
import sys
import time

from machine import TOP, Machine, Monitor, Trouble, kvm_works, make_seed
import socket

OUT = TOP / "out"
DIRECTORY = OUT / "run"
READY_SECONDS = 600


def image(profile, version):
    suffix = "" if profile == "default" else f"-{profile}"
    return OUT / f"keelson{suffix}-{version}-amd64.raw"


def running_pid():
    try:
        pid = int((DIRECTORY / "pid").read_text())
        return pid if "qemu-system" in pathlib.Path(f"/proc/{pid}/cmdline").read_text() else None
    except (OSError, ValueError):
        return None


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
    Monitor(s).command("system_powerdown")
    while running_pid() == pid:
        if time.monotonic() - started > 60:
            print("run: expected the machine off within 60 s, it runs: kill it with: kill", pid, file=sys.stderr)
            return 1
        time.sleep(0.1)
    print(f"run: powered off in {time.monotonic() - started:.1f} s")
    return 0


def start(profile, version, user_data, detach):
    if running_pid():
        raise Trouble(f"a machine runs already (pid {running_pid()}): make stop")
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
    try:
        text = machine.kubeconfig(READY_SECONDS)
        (OUT / "kubeconfig").write_text(text)
        os.chmod(OUT / "kubeconfig", 0o600)
        machine.console.wait(r"^\[ *[0-9.]+\] node +.* Ready", READY_SECONDS)
        ready = time.monotonic() - started
        # Who types `get pods -A` now shall see what runs.
        machine.console.wait(r"^\[ *[0-9.]+\] node +.*pods of the control plane", READY_SECONDS)
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
        print(f"run: powered off in {machine.power_button(60):.1f} s")
    return 0


def main():
    if sys.argv[1:] == ["stop"]:
        return stop()
    if len(sys.argv) != 5:
        print("usage: run.py PROFILE VERSION USER_DATA detach|attach, or run.py stop", file=sys.stderr)
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
