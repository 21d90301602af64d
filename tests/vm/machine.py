"""One emulated machine: its disk, seed, serial console, QMP socket, and the ports that leave it.

Nothing here sleeps for a fixed time: the console, the monitor and the kubeconfig port are read by threads, and whoever
waits names what for and for how long.
"""

import functools
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
OVMF_CODE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
OVMF_VARS = "/usr/share/OVMF/OVMF_VARS_4M.fd"
ANSI = re.compile(r"\x1b\[[0-9;?=]*[A-Za-z]|\x1b[()][A-Z0-9]|[\x00\r]")


class Trouble(Exception):
    """Something did not happen in time, or happened otherwise; the text says what was expected and what was seen."""


# A firmware whose reset vector ends QEMU through its debug port: mov al,16; out 0xf4,al; hlt. QEMU exits with 16*2+1.
PROBE_FIRMWARE = b"\x90" * 0xFFF0 + bytes([0xB0, 0x10, 0xE6, 0xF4, 0xF4]).ljust(16, b"\x90")


@functools.lru_cache(maxsize=None)
def kvm_works():
    """KVM counts only when a guest really runs: a device node, and even a made machine, prove nothing (a nested host
    may offer /dev/kvm to guests of its own kind alone)."""
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    with tempfile.NamedTemporaryFile() as firmware:
        firmware.write(PROBE_FIRMWARE)
        firmware.flush()
        command = ["qemu-system-x86_64", "-accel", "kvm", "-cpu", "host", "-m", "64", "-display", "none", "-nodefaults",
                   "-device", "isa-debug-exit,iobase=0xf4", "-bios", firmware.name]
        try:
            return subprocess.run(command, capture_output=True, timeout=5).returncode == 33
        except (OSError, subprocess.TimeoutExpired):
            return False


# Two cores, emulated: the kernel trusts the time stamp counter of an Intel processor alone, and else asks the HPET, which
# leaves the emulation for every clock_gettime; and the first Atom is the one Intel that speculates nothing, so that the
# kernel builds no page table isolation and no retpolines. Ready after 113 s instead of 146 s (qemu64 as it is). No svm: an
# Intel processor has none, and the kernel would load kvm_amd for it.
EMULATED_CPU = "qemu64,vendor=GenuineIntel,family=6,model=28,stepping=10,+rdrand,-svm"


def accelerator():
    return ["-accel", "kvm", "-cpu", "host"] if kvm_works() else ["-accel", "tcg,thread=multi", "-cpu", EMULATED_CPU]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(*command, **keywords):
    """Run a program to its end; its output becomes the text of the error when it fails."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    if done.returncode:
        raise Trouble(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stdout.strip()[-2000:]}")
    return done.stdout


def make_seed(path, user_data, meta_data="instance-id: i-1\n", kind="vfat", label="CIDATA"):
    """A NoCloud seed disk. user_data or meta_data None: that file is missing."""
    path = pathlib.Path(path)
    files = path.with_suffix(".files")
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    for name, text in (("user-data", user_data), ("meta-data", meta_data)):
        if text is not None:
            (files / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    path.unlink(missing_ok=True)
    if kind == "vfat":
        run("mkfs.vfat", "-C", "-n", label, path, "4096")
        for file in sorted(files.iterdir()):
            run("mcopy", "-i", path, file, f"::{file.name}")
    else:
        run("xorriso", "-as", "mkisofs", "-quiet", "-J", "-R", "-V", label, "-o", path, files)
    return path


class Console:
    """What the serial console says, line by line, with a wait for a pattern from a place onward."""

    def __init__(self, connection, echo=None):
        self.lines = []  # (seconds since the machine started, text)
        self.changed = threading.Condition()
        self.ended = False
        self.started = time.monotonic()
        self.echo = echo
        self.connection = connection
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        rest = b""
        while True:
            try:
                data = self.connection.recv(65536)
            except OSError:
                data = b""
            if not data:
                break
            *whole, rest = (rest + data).split(b"\n")
            if len(rest) > 65536:
                rest = b""
            for raw in whole:
                self._add(ANSI.sub("", raw.decode("utf-8", "replace")))
        if rest:
            self._add(ANSI.sub("", rest.decode("utf-8", "replace")))
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _add(self, text):
        if self.echo:
            self.echo(text)
        with self.changed:
            self.lines.append((time.monotonic() - self.started, text))
            self.changed.notify_all()

    def __len__(self):
        return len(self.lines)

    def text(self, since=0):
        return "\n".join(text for _, text in self.lines[since:])

    def wait(self, pattern, timeout, since=0, never=None):
        """Wait for a line that matches; returns (index, match). A line that matches `never` ends the wait at once."""
        wanted, forbidden = re.compile(pattern), re.compile(never) if never else None
        deadline = time.monotonic() + timeout
        place = since
        with self.changed:
            while True:
                while place < len(self.lines):
                    line = self.lines[place][1]
                    match = wanted.search(line)
                    if match:
                        return place, match
                    if forbidden and forbidden.search(line):
                        raise Trouble(f"console: expected /{pattern}/, found: {line}\n{self.tail()}")
                    place += 1
                left = deadline - time.monotonic()
                if self.ended or left <= 0:
                    why = "the machine ended" if self.ended else f"waited {timeout} s"
                    raise Trouble(f"console: expected /{pattern}/, {why}; the last lines were:\n{self.tail()}")
                self.changed.wait(left)

    def tail(self, count=40):
        return "\n".join(f"{when:8.2f} {text}" for when, text in self.lines[-count:])


class Monitor:
    """QEMU's machine protocol: one command, one answer; events are kept for whoever waits for them."""

    def __init__(self, connection):
        self.connection = connection
        self.answers, self.events = queue.Queue(), queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.command("qmp_capabilities")

    def _read(self):
        try:
            for line in self.connection.makefile("r", encoding="utf-8"):
                message = json.loads(line)
                if "event" in message:
                    self.events.put(message)
                elif "QMP" not in message:
                    self.answers.put(message)
        except (OSError, ValueError):
            pass
        self.answers.put({"error": {"desc": "the machine ended"}})

    def command(self, name, **arguments):
        message = {"execute": name}
        if arguments:
            message["arguments"] = {k.replace("_", "-"): v for k, v in arguments.items()}
        try:
            self.connection.sendall((json.dumps(message) + "\n").encode())
            answer = self.answers.get(timeout=30)
        except (OSError, queue.Empty) as problem:
            raise Trouble(f"qmp {name}: no answer ({problem!r})") from None
        if "error" in answer:
            raise Trouble(f"qmp {name}: {answer['error']['desc']}")
        return answer["return"]

    def close(self):
        """QEMU talks to one at a time: whoever comes next is answered only now."""
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def human(self, line):
        return self.command("human-monitor-command", **{"command-line": line})


class Machine:
    """A machine with UEFI firmware. `directory` keeps its disk, variables, sockets and logs between boots."""

    def __init__(self, directory, image, profile="default", memory=4096, disk_size="12G", seed=None, network=True,
                 restrict=False, subnet=None, rtc=None, port=None, extra=(), echo=None, disk_cache="writeback", own_disk=True):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.image = pathlib.Path(image).resolve()
        self.profile, self.memory, self.disk_size, self.seed = profile, memory, disk_size, seed
        self.network, self.restrict, self.subnet, self.rtc = network, restrict, subnet, rtc
        self.port = port or free_port()
        self.extra, self.echo, self.disk_cache, self.own_disk = list(extra), echo, disk_cache, own_disk
        self.process = self.console = self.monitor = None
        self.boots = 0
        self.disk = self.directory / "disk.qcow2"
        if not self.disk.exists():
            self.new_disk()
        if not (self.directory / "vars.fd").exists():
            shutil.copy(OVMF_VARS, self.directory / "vars.fd")

    def new_disk(self):
        """A disk as a cloud gives it: larger than the image. The image itself is never written."""
        self.disk.unlink(missing_ok=True)
        run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw" if self.image.suffix == ".raw" else "qcow2",
            "-b", self.image, self.disk, self.disk_size)

    def _socket(self, name):
        return str(self.directory / name)

    def _drives(self):
        disk = f"file={self.disk},if=none,id=disk,format=qcow2,discard=unmap,cache={self.disk_cache}"
        device = "nvme" if self.profile == "qemu" else "virtio-blk-pci"
        arguments = ["-drive", disk, "-device", f"{device},drive=disk,serial=keelson-disk"] if self.own_disk else []
        if self.profile == "qemu":
            cd = "ide-cd,bus=ide.0,drive=seed,id=seed-drive"
        else:
            cd = "scsi-cd,bus=scsi.0,drive=seed,id=seed-drive"
            arguments += ["-device", "virtio-scsi-pci,id=scsi"]
        if self.seed:
            kind = "cdrom" if str(self.seed).endswith(".iso") else "disk"
            arguments += ["-drive", f"file={self.seed},if=none,id=seed,format=raw,readonly=on,media={kind}"]
            arguments += ["-device", cd if kind == "cdrom" else "virtio-blk-pci,drive=seed,id=seed-drive"]
        elif self.seed is False:
            arguments += ["-drive", "if=none,id=seed,media=cdrom", "-device", cd]
        return arguments

    def _net(self):
        if not self.network:
            return ["-nic", "none"]
        user = f"user,id=net,hostfwd=tcp:127.0.0.1:{self.port}-:6443"
        if self.restrict:
            user += ",restrict=on"
        if self.subnet:
            user += f",net={self.subnet}"
        card = "e1000e" if self.profile == "qemu" else "virtio-net-pci"
        return ["-netdev", user, "-device", f"{card},netdev=net,mac=52:54:00:4b:45:31"]

    def command(self):
        arguments = ["qemu-system-x86_64", "-machine", "q35", *accelerator(), "-smp", "2", "-m", str(self.memory),
                     "-display", "none", "-no-user-config", "-nodefaults", "-vga", "std",
                     "-device", "virtio-rng-pci", "-uuid", "6b65656c-736f-4e00-8000-000000000001",
                     "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={OVMF_CODE}",
                     "-drive", f"if=pflash,format=raw,unit=1,file={self.directory / 'vars.fd'}",
                     "-chardev", f"socket,id=console,path={self._socket('console.sock')},server=on,wait=on,"
                                 f"logfile={self.directory / 'console.log'},logappend=on",
                     "-serial", "chardev:console",
                     "-qmp", f"unix:{self._socket('qmp.sock')},server=on,wait=off",
                     "-device", "virtio-serial-pci",
                     "-chardev", f"socket,id=kubeconfig,path={self._socket('kubeconfig.sock')},server=on,wait=off",
                     "-device", "virtserialport,chardev=kubeconfig,name=keelson.kubeconfig",
                     *self._drives(), *self._net()]
        if self.rtc:
            arguments += ["-rtc", f"base={self.rtc},clock=vm"]
        return arguments + self.extra

    def _connect(self, name, timeout=20):
        """The socket appears when QEMU made it; until then connecting is refused at once."""
        deadline = time.monotonic() + timeout
        while True:
            s = socket.socket(socket.AF_UNIX)
            try:
                s.connect(self._socket(name))
                return s
            except OSError:
                s.close()
                self.must_run()
                if time.monotonic() > deadline:
                    raise Trouble(f"qemu made no socket {name} within {timeout} s") from None
                time.sleep(0.02)

    def must_run(self):
        """QEMU's own end is told with its last words: who waits for its guest would wait for nothing."""
        if self.process.poll() is not None:
            raise Trouble(f"qemu ended with {self.process.returncode}: {(self.directory / 'qemu.log').read_text()[-2000:]}") from None

    def start(self):
        if self.process and self.process.poll() is None:
            raise Trouble("the machine runs already")
        for name in ("console.sock", "qmp.sock", "kubeconfig.sock"):
            pathlib.Path(self._socket(name)).unlink(missing_ok=True)
        with open(self.directory / "qemu.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        (self.directory / "pid").write_text(str(self.process.pid))
        self.console = Console(self._connect("console.sock"), self.echo)
        self.open_monitor()
        self.boots += 1
        return self

    def open_monitor(self):
        self.monitor = Monitor(self._connect("qmp.sock"))

    def kubeconfig(self, timeout):
        """What the node hands out on its port, up to the NUL that ends it, with our forwarded port in it."""
        port = self._connect("kubeconfig.sock")
        port.settimeout(timeout)
        text = b""
        try:
            while b"\0" not in text:
                data = port.recv(65536)
                if not data:
                    raise Trouble("the machine ended before its kubeconfig was read to the end")
                text += data
        except socket.timeout:
            raise Trouble(f"no kubeconfig within {timeout} s, {len(text)} bytes read\n{self.console.tail()}") from None
        finally:
            port.close()
        return text.split(b"\0", 1)[0].decode().replace("https://127.0.0.1:6443", f"https://127.0.0.1:{self.port}")

    def wait_end(self, timeout):
        """Wait until QEMU itself ends, as after a power-off."""
        started = time.monotonic()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Trouble(f"expected the machine off within {timeout} s, it runs\n{self.console.tail()}") from None
        return time.monotonic() - started

    def power_button(self, timeout):
        """ACPI power-off; returns the seconds until the machine is off."""
        self.monitor.command("system_powerdown")
        return self.wait_end(timeout)

    def power_cut(self):
        """What a pulled plug does to a virtual machine: QEMU is killed, its cache of writes goes with it."""
        if self.process and self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def change_medium(self, path):
        """Insert another seed into the CD drive."""
        self.monitor.command("blockdev-change-medium", id="seed-drive", filename=str(path), format="raw",
                             **{"read-only-mode": "read-only"})

    def close(self):
        self.power_cut()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
