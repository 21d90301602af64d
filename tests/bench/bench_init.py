"""`make bench-init`: PID 1 beside s6, runit, finit and BusyBox init, on this machine, in one run.

Needs root and a cgroup2 mount. Installs nothing: Debian's packages of the peers are unpacked into out/bench-init/peers.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import time

import supervisors
from supervisors import TOP

WORK = TOP / "out/bench-init"
ENTER = TOP / "build/bench/enter"
CGROUPS = next((line.split()[1] for line in open("/proc/mounts") if line.split()[2] == "cgroup2"), None)
RECORD = struct.Struct("qi20s")
SERVICES = 20
MANY = 100
UP_SECONDS = 1.2  # after so long all but BusyBox and finit, which do not ask, take a service for healthy
PATIENCE = 30.0
KILL_ROUNDS = 25
KILL_SECONDS = 2.0  # of a round, for one supervisor: BusyBox takes a second for each


class Trouble(Exception):
    pass


class Running:
    """A supervisor as PID 1 of a namespace, with so many services."""

    def __init__(self, supervisor, unpacked, count):
        self.supervisor, self.count = supervisor, count
        self.root = WORK / "roots" / f"{supervisor.name}-{count}"
        self.cgroup = pathlib.Path(CGROUPS) / f"keelson-bench-{os.getpid()}-{supervisor.name}"
        self.inside, self.beats, self.process = {}, [], None
        supervisors.make_root(supervisor, self.root, unpacked, count)
        os.mkfifo(self.root / "run/beats")
        self.pipe = os.open(self.root / "run/beats", os.O_RDWR | os.O_NONBLOCK)
        self.cgroup.mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            with contextlib.suppress(OSError):
                (self.cgroup / "cgroup.kill").write_text("1")
            self.process.kill()
            self.process.wait()
        os.close(self.pipe)
        shutil.rmtree(self.root)
        wait_until(self.remove_cgroups, "its cgroups are empty")

    def remove_cgroups(self):
        for folder, _, _ in os.walk(self.cgroup, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        return not self.cgroup.exists()

    # ---- what its services say
    def next_beat(self, seconds):
        """The next (nanoseconds, name, pid inside) that a service wrote."""
        if not select.select([self.pipe], [], [], max(0, seconds))[0]:
            raise Trouble(f"{self.supervisor.name}: no service began to run within {seconds:.0f} s")
        ns, pid, name = RECORD.unpack(os.read(self.pipe, RECORD.size))
        return ns, name.rstrip(b"\0").decode(), pid

    def await_beats(self, names, seconds=PATIENCE):
        """When each of these ran (anew): name -> nanoseconds."""
        end, at, names = time.monotonic() + seconds, {}, set(names)
        while names - at.keys():
            ns, name, pid = self.next_beat(end - time.monotonic())
            at[name] = ns
            self.inside[name] = pid
        return at

    def start(self):
        """Seconds from the exec of the supervisor to the first instruction of its last service."""
        arguments = ["unshare", "--pid", "--fork", "--kill-child", ENTER, self.root, *self.supervisor.command]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": open(self.root / "tmp/errors", "w")}
        self.process = subprocess.Popen(arguments, preexec_fn=self.join, **quiet)
        at = self.await_beats(["start", *supervisors.service_names(self.count)])
        self.inside.pop("start")
        return (max(at.values()) - at["start"]) / 1e9

    def join(self):
        (self.cgroup / "cgroup.procs").write_text("0")

    # ---- its processes
    def processes(self):
        """Pid inside -> pid on this machine."""
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        namespace = os.readlink(f"/proc/{open(children).read().split()[0]}/ns/pid")
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/ns/pid") == namespace:
                    found[int(re.search(r"NSpid:.*\s(\d+)$", open(f"/proc/{pid}/status").read(), re.M)[1])] = int(pid)
        return found

    def own(self):
        """Supervisors and loggers: everything that is no service. Pid -> name."""
        services = set(self.inside.values())
        own = [pid for inside, pid in self.processes().items() if inside not in services]
        return {pid: open(f"/proc/{pid}/comm").read().strip() for pid in own}

    def logged(self):
        """Every service's line is in a log: its logger does what it is compared for."""
        files = [path.read_text() for path in self.root.glob(self.supervisor.logs or "none")]
        return not self.supervisor.logs or sum(text.count("it runs") for text in files) >= self.count

    def pss(self):
        return sum(int(re.search(r"^Pss:\s+(\d+)", open(f"/proc/{pid}/smaps_rollup").read(), re.M)[1]) for pid in self.own())

    def switches(self):
        """Pid -> context switches so far, of all its threads."""
        def of(pid):
            tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
            return sum(int(count) for task in tasks for count in re.findall(r"ctxt_switches:\s+(\d+)", (task / "status").read_text()))
        return {pid: of(pid) for pid in self.own()}

    def kill(self, name, processes):
        at = time.monotonic_ns()  # after it, the next instance could run before this program does
        os.kill(processes[self.inside[name]], signal.SIGKILL)
        return at


def wait_until(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Trouble(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.01)


# ---- what is measured
def restarts(running, seconds):
    """Milliseconds from kill -9 of a service that was up for a while to the first instruction of the next instance.

    Each service once; those that there is no time for are left out.
    """
    taken, processes = [], running.processes()
    end = time.monotonic() + seconds
    for name in supervisors.service_names(running.count):
        if time.monotonic() > end:
            break
        killed = running.kill(name, processes)
        taken.append((running.await_beats([name])[name] - killed) / 1e6)
    return taken


def second_kills(running, count):
    """The same for services that are killed again as soon as they run."""
    names = supervisors.service_names(count)
    time.sleep(UP_SECONDS)
    processes = running.processes()
    for name in names:
        running.kill(name, processes)
    running.await_beats(names)
    time.sleep(0.1)
    processes = running.processes()
    killed = {name: running.kill(name, processes) for name in names}
    again = running.await_beats(names)
    return [(again[name] - killed[name]) / 1e6 for name in names]


def idle(all_running, seconds):
    """Context switches of each supervisor's processes while nothing happens; all of them idle at the same time."""
    before = [running.switches() for running in all_running]
    time.sleep(seconds)
    after = [running.switches() for running in all_running]
    return [sum(now.values()) - sum(then.get(pid, 0) for pid in now) for then, now in zip(before, after)]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def measure_few(unpacked, seconds):
    """What needs 20 services: (memory, switches, restarts, second kills), each by supervisor."""
    memory, switches, second = {}, {}, {}
    first = {each.name: [] for each in supervisors.ALL}
    with contextlib.ExitStack() as stack:
        everyone = [stack.enter_context(Running(each, unpacked, SERVICES)) for each in supervisors.ALL]
        for running in everyone:
            name = running.supervisor.name
            print(f"bench-init: {name}: {SERVICES} services", flush=True)
            running.start()
            wait_until(running.logged, f"{name} logs what its services print")
            time.sleep(2)  # whatever it does once after its start
            memory[name] = running.pss()
        print(f"bench-init: {seconds} s of nothing", flush=True)
        for running, count in zip(everyone, idle(everyone, seconds)):
            switches[running.supervisor.name] = count
        for number in range(KILL_ROUNDS):
            print(f"bench-init: kill -9, round {number + 1} of {KILL_ROUNDS}", flush=True)
            time.sleep(UP_SECONDS)
            for running in everyone if number % 2 == 0 else everyone[::-1]:
                first[running.supervisor.name] += restarts(running, KILL_SECONDS)
        print("bench-init: kill -9, twice", flush=True)
        for running in everyone:
            try:
                second[running.supervisor.name] = second_kills(running, count=8)
            except Trouble as trouble:
                print(f"bench-init: {trouble}")
                second[running.supervisor.name] = [PATIENCE * 1000]
    return memory, switches, first, second


def measure_many(unpacked, rounds):
    """Milliseconds to start 100 services, in turns: name -> list."""
    taken = {each.name: [] for each in supervisors.ALL}
    for number in range(rounds):
        print(f"bench-init: {MANY} services, round {number + 1} of {rounds}", flush=True)
        for each in supervisors.ALL if number % 2 == 0 else supervisors.ALL[::-1]:
            with Running(each, unpacked, MANY) as running:
                taken[each.name].append(running.start() * 1000)
    return taken


# ---- what is said about it
def rows_of(sizes, memory, switches, first, second, many):
    def row(name, unit, values, digits=0):
        values = {who: round(value, digits) if digits else round(value) for who, value in values.items()}
        return {"name": name, "unit": unit, "ours": values.pop("ours"), "peers": values}

    def each(values, share):
        return {who: statistics.median(list_) if share == 0.5 else percentile(list_, share) for who, list_ in values.items()}

    return [
        row("size of what one supervised, logged service needs", "KiB", {who: bytes_ / 1024 for who, bytes_ in sizes.items()}, 1),
        row(f"memory (PSS) with {SERVICES} services", "KiB", memory),
        row("restart after kill -9, median", "ms", each(first, 0.5), 2),
        row("restart after kill -9, p95", "ms", each(first, 0.95), 2),
        row("restart after the second kill within a second, median", "ms", each(second, 0.5), 1),
        row(f"start of {MANY} services, median", "ms", each(many, 0.5), 1),
        row(f"context switches with {SERVICES} idle services", "a minute", switches),
    ]


def targets(rows):
    size, memory, _, p95, _, many, switches = rows
    return [
        ("size at most 128 KiB", size["ours"] <= 128),
        ("memory lowest, at most 400 KiB", memory["ours"] <= min([400, *memory["peers"].values()])),
        ("restart p95 lowest", p95["ours"] <= min(p95["peers"].values())),
        (f"{MANY} services in at most half of s6's time", many["ours"] <= many["peers"]["s6"] / 2),
        ("no context switch while idle", switches["ours"] == 0),
    ]


def table(rows):
    peers = list(rows[0]["peers"])
    lines = [f"{'':54}{'':9}{'ours':>9}" + "".join(f"{peer:>19}" for peer in peers)]
    for row in rows:
        line = f"{row['name']:54}{row['unit']:9}{row['ours']:9}"
        for peer in peers:
            value = row["peers"][peer]
            ratio = f"{value / row['ours']:.1f}x" if row["ours"] else ""
            line += f"{value:11}{ratio:>8}"
        lines.append(line)
    return "\n".join(lines)


def fetch(unpacked):
    """Unpack the peers' packages; what each is, in words."""
    names = [package for each in supervisors.ALL for package in each.packages]
    command = [TOP / "tests/bench/fetch_peers.sh", WORK / "peers", *names, *supervisors.NOT_IN_DEBIAN]
    fetched = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    versions = dict(line.split() for line in fetched.splitlines())
    missing = [name for name in names if versions[name] == "none"]
    if missing:
        raise Trouble(f"expected Debian packages {' '.join(missing)}, found none: run apt-get update, or use Debian 12")
    told = [f"  {each.name:9}{versions[each.packages[0]] if each.packages else 'this tree':32}{each.logger}" for each in supervisors.ALL]
    return told + [f"  {name:9}{'no Debian package' if versions[name] == 'none' else versions[name] + ', not measured'}" for name in supervisors.NOT_IN_DEBIAN]


@contextlib.contextmanager
def own_memory():
    """The roots lie in memory: no disk takes part."""
    roots = WORK / "roots"
    subprocess.run(["umount", "-l", roots], stderr=subprocess.DEVNULL, check=False)
    roots.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "bench-init", roots], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", roots], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--idle", type=int, default=60, help="seconds of nothing")
    parser.add_argument("--rounds", type=int, default=5, help=f"starts of {MANY} services")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or not CGROUPS:
        raise Trouble("needs root and a cgroup2 mount")
    with contextlib.suppress(OSError):
        os.nice(-15)  # what else runs here counts less; the same for all of them
    unpacked = WORK / "peers/root"
    told = fetch(unpacked)
    with own_memory():
        few = measure_few(unpacked, arguments.idle)
        many = measure_many(unpacked, arguments.rounds)
    memory, switches, first, second = few
    switches = {who: count * 60 / arguments.idle for who, count in switches.items()}
    rows = rows_of({each.name: supervisors.size(each, unpacked) for each in supervisors.ALL}, memory, switches, first, second, many)
    (TOP / "out/bench-init.json").write_text(json.dumps(rows, indent=1) + "\n")
    print("\n" + "\n".join(told) + "\n\n" + table(rows) + "\n")
    missed = [what for what, met in targets(rows) if not met]
    for what, met in targets(rows):
        print(f"  {'met' if met else 'NOT MET':9}{what}")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(f"bench-init: {trouble}")
