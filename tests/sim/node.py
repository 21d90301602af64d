"""The real supervisor as PID 1 of a namespace on this machine: start it, talk to it, look at what it does."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time

BUILD = os.path.join(os.path.dirname(__file__), "../../build/sim")
ACT = os.path.realpath(os.path.join(BUILD, "act"))
CGROUPS = next((m.split()[1] for m in open("/proc/mounts") if m.split()[2] == "cgroup2"), None)


def wait_for(condition, seconds=30.0, what="condition"):
    """Poll: nothing here tells a test that a process has changed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            result = condition()
        except (ConnectionRefusedError, FileNotFoundError):
            result = None  # the control socket is not there yet, or bound and not yet listening
        if result:
            return result
        time.sleep(0.005)
    raise AssertionError(f"{what() if callable(what) else what}: not within {seconds} s")


class Node:
    count = 0

    def __init__(self, tmp, services):
        Node.count += 1
        self.work = os.path.join(tmp, "w")
        self.cgroup = os.path.join(CGROUPS, f"keelson-test-{os.getpid()}-{Node.count}")
        os.makedirs(self.work)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.work], check=True)
        for name in ("root", "upper", "work", "run", "services"):
            os.mkdir(os.path.join(self.work, name))
        os.mkdir(self.cgroup)
        os.symlink(self.cgroup, os.path.join(self.work, "cgroup"))
        shutil.copy(ACT, self.path("run/act"))
        self.write_services(services)
        open(self.path("run/console"), "w").close()
        self.process = None

    def path(self, name):
        return os.path.join(self.work, name)

    def write_services(self, services):
        folder = self.path("services")
        for name, text in services.items():
            with open(f"{folder}/{name}.service", "w") as file:
                file.write(text.replace("ACT", ACT))
        subprocess.run([f"{BUILD}/make_table", folder, self.path("run/services.table")], check=True)

    def start(self, *faults, control=True):
        self.process = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--fork", "--kill-child", f"{BUILD}/namespace_init", self.work, *faults],
            stdin=subprocess.DEVNULL,
        )
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        self.init = int(wait_for(lambda: open(children).read().split(), what="PID 1")[0])
        if control:
            wait_for(lambda: os.path.exists(self.path("run/keelson/control")), what="the control socket")
        return self

    def takes_signals(self):
        """Before it has blocked them, PID 1 of a namespace loses those it is sent."""
        blocked = f"/proc/{self.init}/status"
        wait_for(lambda: self.lives() or int(re.search(r"SigBlk:\s*(\w+)", open(blocked).read())[1], 16) >> signal.SIGUSR2 - 1 & 1, what="PID 1 blocks its signals")

    def lives(self):
        status = self.process.poll()
        assert status is None, f"PID 1 has ended, unshare with {status}:\n{self.console()}"

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with contextlib.suppress(OSError):
            with open(f"{self.cgroup}/cgroup.kill", "w") as file:
                file.write("1")
        closed_twice = os.path.exists(self.path("run/closed-twice"))
        subprocess.run(["umount", "-l", self.work], check=False)
        wait_for(self.remove_cgroups, what="its cgroups are empty")
        assert not closed_twice, "PID 1 closed a descriptor twice"

    def remove_cgroups(self):
        for folder, _, _ in os.walk(self.cgroup, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        return not os.path.exists(self.cgroup)

    # ---- what it says
    def console(self):
        return open(self.path("run/console"), errors="replace").read()

    def says(self, text, seconds=30.0):
        return wait_for(lambda: re.search(text, self.console()), seconds, lambda: f"the console says {text!r}:\n{self.console()}")

    def log(self, name):
        try:
            return open(self.path(f"upper/var/log/keelson/{name}.log"), errors="replace").read()
        except FileNotFoundError:
            return ""

    def ask(self, request, seconds=60.0):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(seconds)
            s.connect(self.path("run/keelson/control"))
            s.send(f"keelson 1 {request}".encode())
            answer = []
            while packet := s.recv(65536):
                answer.append(packet.decode())
            return "".join(answer)

    def services(self):
        rows = {}
        for line in self.ask("services").splitlines():
            if line.startswith("service "):
                row = dict(pair.split("=", 1) for pair in line.split(" description=")[0].split(" ")[1:])
                rows[row["name"]] = row
        return rows

    def state(self, name):
        return self.services()[name]["state"]

    def reaches(self, name, state, seconds=30.0):
        return wait_for(lambda: self.state(name) == state, seconds, lambda: f"{name} is {state}:\n{self.console()}")

    # ---- its processes
    def processes(self):
        """Host pid -> pid inside, of every process in its pid namespace."""
        own = os.readlink(f"/proc/{self.init}/ns/pid")
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/ns/pid") == own:
                    found[int(pid)] = int(re.search(r"NSpid:.*\s(\d+)$", open(f"/proc/{pid}/status").read(), re.M)[1])
        return found

    def named(self, name):
        """The host's pid of the process of this name; others may end while they are looked at."""
        for pid in self.processes():
            with contextlib.suppress(OSError):
                if open(f"/proc/{pid}/comm").read().strip() == name:
                    return pid
        raise AssertionError(f"expected a process {name}, found none")

    def main_pid(self, name):
        """The host's pid of a service's main process."""
        inside = int(self.services()[name]["pid"])
        return next((host for host, pid in self.processes().items() if pid == inside), None)

    def members(self, name, slice_="system"):
        try:
            return [int(pid) for pid in open(f"{self.cgroup}/{slice_}/{name}/cgroup.procs").read().split()]
        except FileNotFoundError:
            return []

    def zombies(self):
        count = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                count += open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] == "Z"
        return count

    def descriptors(self):
        """What PID 1 has open, once it has stood still: the connection just answered is closed after its answer is read."""
        seen = None
        for _ in range(200):
            last, seen = seen, sorted(os.listdir(f"/proc/{self.init}/fd"), key=int)
            if seen == last:
                return seen
            time.sleep(0.1)
        raise AssertionError("PID 1's descriptors do not stand still")

    def kill(self, name, sig=signal.SIGKILL):
        os.kill(self.main_pid(name), sig)

    def end(self, sig=signal.SIGUSR2, seconds=60.0):
        """Ask for the end by a signal; returns the seconds it took."""
        start = time.monotonic()
        os.kill(self.init, sig)
        self.process.wait(seconds)
        return time.monotonic() - start
