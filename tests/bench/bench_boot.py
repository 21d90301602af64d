"""`make bench-boot`: from the kernel's hand-over to a ready node, against Debian 12 with systemd, udev and cloud-init.

Ready is the same on both, and the same program (boot_ready.c) looks for it: a default route is there, the user-data is
applied, containerd's CRI answers. Kernel, containerd, QEMU and the kind of disk are the same; what the two kernels and
containerds say of themselves is compared. Both boot in turns. Each disk is booted twice: the first boot, which makes keys,
formats and so on, is shown beside; the second, after a clean power-off, is compared.

Both count from the kernel's "Run /init as init process", so each with what its initramfs does: ours verifies the root, the
peer's finds it. What the ratio would be without the peer's initramfs is printed below it.
"""

import argparse
import json
import pathlib
import re
import shutil
import statistics
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/vm"))

from machine import Machine, Trouble, kvm_works, make_seed  # noqa: E402

WORK = TOP / "out/bench-boot"
HERE = pathlib.Path(__file__).resolve().parent
BOOT_SECONDS = 300
LIMIT = 1 / 7
UNIT_SECONDS = 5.0
STEPS = ("route", "user-data", "CRI")
PEER = "Debian 12: systemd, udev, cloud-init"
READY = (r"boot_ready: init (-?[0-9.]+) systemd (-?[0-9.]+) route ([0-9.]+) user-data ([0-9.]+) CRI ([0-9.]+) "
         r"kernel (.+); (.+)")
# boot-ready.service is the measuring itself, not a part of the peer.
MAY_TAKE_LONG = re.compile(r"cloud-(init|init-local|config|final)\.service|containerd\.service|boot-ready\.service")


class Boot:
    """When what was there, in seconds from the hand-over; and what must be the same on both."""

    def __init__(self, match, has_systemd):
        init, systemd, *steps = map(float, match.groups()[:5])
        if init < 0 or (has_systemd and systemd < 0):
            raise Trouble(f"expected the hand-over in the kernel's log, found: {match[0]}")
        self.initramfs = systemd - init if has_systemd else 0.0
        self.at = {step: when - init for step, when in zip(STEPS, steps)}
        self.ready = max(self.at.values())
        self.same = match[6], match[7].strip()


class Report:
    """What the peer's systemd says of the boot: (seconds, unit) of all units, and the names of failed ones."""

    def __init__(self, lines):
        took = [re.search(r"boot-report: took (.+) (\S+)$", line) for line in lines]
        self.units = [(seconds_of(match[1]), match[2]) for match in took if match]
        failed = [re.search(r"boot-report: failed (\S+)", line) for line in lines]
        self.failed = [match[1] for match in failed if match]
        if not self.units:
            raise Trouble("expected systemd-analyze blame to name units, found none")

    def slow(self):
        return [(seconds, unit) for seconds, unit in self.units if seconds > UNIT_SECONDS]

    def faults(self):
        """Why the peer is no fair one."""
        return [f"{unit} took {seconds:.1f} s, at most {UNIT_SECONDS:.0f} wanted" for seconds, unit in self.slow()
                if not MAY_TAKE_LONG.fullmatch(unit)] + [f"{unit} failed" for unit in self.failed]


def seconds_of(span):
    """systemd's "1min 2.345s", "345ms"."""
    units = {"min": 60, "s": 1, "ms": 0.001, "us": 0.000001}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+)(min|ms|us|s)\b", span))


def make_machine(name, image, user_data):
    directory = WORK / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return Machine(directory, image, seed=make_seed(directory / "seed.img", user_data.read_text()))


def await_ready(machine, has_systemd=False):
    _, match = machine.console.wait(READY, BOOT_SECONDS, never="boot_ready: expected")
    return Boot(match, has_systemd)


def boot_keelson(image, number):
    """A new disk, booted twice. Returns both boots."""
    with make_machine(f"keelson-{number}", image, HERE / "keelson/user-data") as machine:
        machine.start()
        first = await_ready(machine)
        machine.console.wait(r"images +ready \(", BOOT_SECONDS)
        machine.power_button(BOOT_SECONDS)
        machine.start()
        return first, await_ready(machine)


def boot_debian(image, number):
    """The same. It reports and powers off by itself, when systemd has nothing left to start."""
    boots = []
    with make_machine(f"debian-{number}", image, HERE / "debian/user-data") as machine:
        for _ in range(2):
            machine.start()
            boots.append(await_ready(machine, has_systemd=True))
            end, _ = machine.console.wait("boot-report: end", BOOT_SECONDS)
            boots[-1].report = Report([text for _, text in machine.console.lines[:end]])
            machine.wait_end(BOOT_SECONDS)
    return boots


def measure(images, boots):
    """Returns {name: [(first boot, second boot), …]}."""
    takers = {"Keelson": boot_keelson, "Debian": boot_debian}
    taken = {name: [] for name in takers}
    for number in range(boots):
        for name in list(takers) if number % 2 == 0 else reversed(takers):
            taken[name].append(takers[name](images[name], number))
            print(f"bench-boot: {name} {number + 1} of {boots}: {taken[name][-1][1].ready:.2f} s", flush=True)
        check_same(taken["Keelson"][-1][1], taken["Debian"][-1][1])
    return taken


def check_same(ours, peer):
    for what, a, b in zip(("kernel", "containerd"), ours.same, peer.same):
        if a != b:
            raise Trouble(f"expected the same {what} on both, found {a} and {b}")


def table(taken):
    count = len(taken["Keelson"])
    lines = [f"{'':44}" + "".join(f"{'boot ' + str(i + 1):>9}" for i in range(count)) + f"{'median':>9}"]

    def row(name, values):
        lines.append(f"{name:44}" + "".join(f"{v:9.2f}" for v in values) + f"{statistics.median(values):9.2f}")

    for name, pairs in taken.items():
        for step in STEPS:
            row(f"{name}: {step}", [second.at[step] for _, second in pairs])
        row(f"{name}: ready", [second.ready for _, second in pairs])
        row(f"{name}: ready, first boot of a disk", [first.ready for first, _ in pairs])
    row("Debian: its initramfs, a part of it", [second.initramfs for _, second in taken["Debian"]])
    return "\n".join(lines)


def tell_units(debian):
    """Print the peer's slow units of each compared boot; returns why it is no fair peer."""
    faults = []
    for number, (_, second) in enumerate(debian):
        slow = ", ".join(f"{unit} {seconds:.1f}" for seconds, unit in second.report.slow()
                         if unit != "boot-ready.service")
        print(f"Debian, boot {number + 1}: units over {UNIT_SECONDS:.0f} s: {slow or 'none'}")
        faults += [f"boot {number + 1}: {fault}" for fault in second.report.faults()]
    return faults


def write_result(taken):
    """Returns the ratio of the compared boots."""
    rows = []
    for name, which in (("hand-over to default route, user-data applied and CRI answering", 1),
                        ("the same on a new disk's first boot", 0)):
        ours, peer = (round(statistics.median(pair[which].ready for pair in taken[side]), 3)
                      for side in ("Keelson", "Debian"))
        rows.append({"name": name, "unit": "s", "ours": ours, "peers": {PEER: peer}})
    (TOP / "out/bench-boot.json").write_text(json.dumps(rows, indent=1) + "\n")
    return rows[0]["ours"] / rows[0]["peers"][PEER]


def ratio_without_initramfs(taken):
    """The peer's clock starting later than ours, when its initramfs is done and systemd is next."""
    ours, peer = (statistics.median(second.ready - second.initramfs for _, second in taken[side])
                  for side in ("Keelson", "Debian"))
    return ours / peer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keelson", required=True)
    parser.add_argument("--debian", required=True)
    parser.add_argument("--boots", type=int, default=3)
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    taken = measure({"Keelson": arguments.keelson, "Debian": arguments.debian}, arguments.boots)
    print(f"\nseconds from the kernel's hand-over, {'KVM' if kvm_works() else 'emulated'}\n\n{table(taken)}\n")
    print("both: kernel {}; {}".format(*taken["Debian"][0][1].same))
    faults = tell_units(taken["Debian"])
    ratio = write_result(taken)
    print(f"\nratio 1/{1 / ratio:.1f}, at most 1/{1 / LIMIT:.0f} wanted; "
          f"1/{1 / ratio_without_initramfs(taken):.1f} without the peer's initramfs")
    for fault in faults:
        print(f"bench-boot: Debian is no fair peer: {fault}", file=sys.stderr)
    return 1 if faults or ratio > LIMIT else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(f"bench-boot: {trouble}")
