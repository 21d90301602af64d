"""`make bench-ready`: from the kernel's hand-over to a node whose containerd answers, with its network up and its
configuration in force; against containerd alone under a bare static init on the same verified root.

Both boot the same image in the same QEMU, in turns; a new machine's page cache is cold. The floor is exec of containerd to
READY=1. Ours begins at the kernel's "Run /init as init process"; the console's first line comes a little later, by as much
as the bare init measures in the same run. Each of our disks is booted twice: the first boot formats the state partition and
imports the image's own container images, and is shown beside; the second, after a clean power-off, is the one compared.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/vm"))

import disk  # noqa: E402
from machine import Machine, Trouble, kvm_works, make_seed, run  # noqa: E402

WORK = TOP / "out/bench-ready"
BOOT_SECONDS = 300
LIMIT = 1.5
STEPS = ("storage", "config", "network", "containerd")
TIME = r"^\[ *([0-9.]+)\] "


def cpio_of(program):
    """A cpio (newc) that holds /init: the kernel unpacks it over the image's own initramfs."""
    work = WORK / "cpio"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(program, work / "init")
    return subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=b"init\n", cwd=work, check=True,
                          stdout=subprocess.PIPE).stdout


def make_bare_image(image, version, program):
    """The same disk with another entry on its ESP: same kernel, same command line, same root, another /init."""
    bare = WORK / "bare.raw"
    bare.unlink(missing_ok=True)
    run("cp", "--sparse=always", image, bare)
    kernel, initrd, cmdline = disk.take_apart(bare, WORK)
    initramfs = initrd.read_bytes()
    padded = initramfs + b"\0" * (-len(initramfs) % 4)
    (WORK / "initramfs").write_bytes(padded + cpio_of(program))
    esp = f"{bare}@@{disk.partition(bare, 'esp')[0]}"
    (WORK / "bare.conf").write_text(f"title bare init\nlinux /bare/linux\ninitrd /bare/initramfs\noptions {cmdline}\n")
    run("mdel", "-i", esp, f"::/EFI/Linux/keelson_{version}.efi")
    run("mmd", "-i", esp, "::/bare")
    run("mcopy", "-i", esp, kernel, WORK / "initramfs", "::/bare/")
    run("mcopy", "-i", esp, WORK / "bare.conf", "::/loader/entries/")
    return bare


def boot_bare(image, number):
    """Returns (seconds of containerd, seconds between the kernel's hand-over and the first line of an init's story)."""
    with Machine(fresh(f"bare-{number}"), image, network=True) as machine:
        machine.start()
        line = r"bench +handed over ([0-9.]+) told ([0-9.]+) exec ([0-9.]+) ready ([0-9.]+)"
        _, match = machine.console.wait(line, BOOT_SECONDS, never=TIME + r"bench +(?!handed)")
        over, told, start, ready = map(float, match.groups())
    return ready - start, told - over


def fresh(name):
    directory = WORK / name
    shutil.rmtree(directory, ignore_errors=True)
    return directory


def read_story(machine):
    """Returns {step: seconds of the console at which it was ready}, the first line as "kernel"."""
    at = {}
    for step, line in [("kernel", r"kernel +\S")] + [(step, step + r" +(?:ready|done) \(") for step in STEPS]:
        _, match = machine.console.wait(TIME + line, BOOT_SECONDS)
        at[step] = float(match.group(1))
    return at


def boot_ours(image, number, user_data):
    """A new disk, booted twice. Returns both stories."""
    directory = fresh(f"ours-{number}")
    directory.mkdir(parents=True)
    with Machine(directory, image, seed=make_seed(directory / "seed.img", user_data)) as machine:
        machine.start()
        first = read_story(machine)
        machine.console.wait(TIME + r"images +ready \(", BOOT_SECONDS)
        machine.power_button(BOOT_SECONDS)
        machine.start()
        return first, read_story(machine)


def table(floor, first, ours):
    lines = [f"{'':36}" + "".join(f"{'boot ' + str(i + 1):>9}" for i in range(len(floor))) + f"{'median':>9}"]

    def row(name, values):
        lines.append(f"{name:36}" + "".join(f"{v:9.2f}" for v in values) + f"{statistics.median(values):9.2f}")

    row("bare: containerd", floor)
    for step in STEPS:
        row(f"ours: {step} ready", [story[step] for story in ours])
    row("ours: all of them", [story["all"] for story in ours])
    row("ours: all of them, on a new disk", [story["all"] for story in first])
    return "\n".join(lines)


def from_hand_over(stories, gap):
    """The consoles' seconds, counted from the kernel's hand-over; "all" when the last step was ready."""
    counted = [{step: story[step] - story["kernel"] + gap for step in STEPS} for story in stories]
    return [dict(story, all=max(story.values())) for story in counted]


def measure(image, bare, boots, user_data):
    """Returns (bare, ours on a new disk, ours) for each boot, in seconds."""
    floor, gaps, first, ours = [], [], [], []

    def take_ours(number):
        for kept, story in zip((first, ours), boot_ours(image, number, user_data)):
            kept.append(story)

    def take_bare(number):
        for kept, value in zip((floor, gaps), boot_bare(bare, number)):
            kept.append(value)

    for number in range(boots):
        for turn in (take_ours, take_bare) if number % 2 == 0 else (take_bare, take_ours):
            turn(number)
        print(f"bench-ready: boot {number + 1} of {boots}", flush=True)
    gap = statistics.median(gaps)
    return floor, from_hand_over(first, gap), from_hand_over(ours, gap)


def write_result(floor, first, ours):
    peers = {"containerd alone under a bare init": round(statistics.median(floor), 3)}
    rows = [{"name": name, "unit": "s", "ours": round(statistics.median(s["all"] for s in stories), 3), "peers": peers}
            for name, stories in (("hand-over to containerd ready, network up, configuration in force", ours),
                                  ("the same on a new disk, which is formatted first", first))]
    (TOP / "out/bench-ready.json").write_text(json.dumps(rows, indent=1) + "\n")
    return rows[0]["ours"] / rows[0]["peers"]["containerd alone under a bare init"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--bare", required=True)
    parser.add_argument("--boots", type=int, default=3)
    arguments = parser.parse_args()
    image = TOP / f"out/keelson-{arguments.version}-amd64.raw"
    WORK.mkdir(parents=True, exist_ok=True)
    bare = make_bare_image(image, arguments.version, arguments.bare)
    results = measure(image, bare, arguments.boots, (TOP / "configs/examples/single-node.yaml").read_text())
    print(f"\nseconds from the kernel's hand-over, {'KVM' if kvm_works() else 'emulated'}\n\n{table(*results)}")
    ratio = write_result(*results)
    print(f"\nratio {ratio:.2f}, at most {LIMIT} wanted")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(f"bench-ready: {trouble}")
