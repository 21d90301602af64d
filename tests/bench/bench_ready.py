"""`make bench-ready`: from the kernel's hand-over to a node whose containerd answers, with its network up and its
configuration in force; against containerd alone under a bare static init on the same verified root.

Both boot the same image in the same QEMU, in turns, each time on a new disk, so that the guest's page cache is cold. The
floor is exec of containerd to READY=1. Ours begins at the kernel's "Run /init as init process"; the console's
first line comes a little later, by as much as the bare init measures in the same run.
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

from machine import Machine, Trouble, kvm_works, make_seed, run  # noqa: E402

ESP_OFFSET = 2 << 20
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


def part_of(uki, name, to):
    run("objcopy", "-O", "binary", "--dump-section", f".{name}={to}", uki, "/dev/null")
    return to.read_bytes()


def make_bare_image(image, version, program):
    """The same disk with another entry on its ESP: same kernel, same command line, same root, another /init."""
    bare = WORK / "bare.raw"
    bare.unlink(missing_ok=True)
    run("cp", "--sparse=always", image, bare)
    esp = f"{bare}@@{ESP_OFFSET}"
    uki = WORK / "keelson.efi"
    run("mcopy", "-n", "-o", "-i", esp, f"::/EFI/Linux/keelson_{version}.efi", uki)
    part_of(uki, "linux", WORK / "linux")
    cmdline = part_of(uki, "cmdline", WORK / "cmdline").decode().strip("\0\n ")
    initramfs = part_of(uki, "initrd", WORK / "initramfs")
    padded = initramfs + b"\0" * (-len(initramfs) % 4)
    (WORK / "initramfs").write_bytes(padded + cpio_of(program))
    (WORK / "bare.conf").write_text(f"title bare init\nlinux /bare/linux\ninitrd /bare/initramfs\noptions {cmdline}\n")
    run("mdel", "-i", esp, f"::/EFI/Linux/keelson_{version}.efi")
    run("mmd", "-i", esp, "::/bare")
    run("mcopy", "-i", esp, WORK / "linux", WORK / "initramfs", "::/bare/")
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


def boot_ours(image, number, user_data):
    """Returns {step: seconds of the console at which it was ready}, the first line as "kernel"."""
    directory = fresh(f"ours-{number}")
    directory.mkdir(parents=True)
    at = {}
    with Machine(directory, image, seed=make_seed(directory / "seed.img", user_data)) as machine:
        machine.start()
        _, match = machine.console.wait(TIME + r"kernel +\S", BOOT_SECONDS)
        at["kernel"] = float(match.group(1))
        for step in STEPS:
            _, match = machine.console.wait(TIME + step + r" +(?:ready|done) \(", BOOT_SECONDS)
            at[step] = float(match.group(1))
    return at


def table(floor, ours, gap):
    lines = [f"{'':24}" + "".join(f"{'boot ' + str(i + 1):>9}" for i in range(len(floor))) + f"{'median':>9}"]

    def row(name, values):
        lines.append(f"{name:24}" + "".join(f"{v:9.2f}" for v in values) + f"{statistics.median(values):9.2f}")

    row("bare: containerd", floor)
    for step in STEPS:
        row(f"ours: {step} ready", [at[step] - at["kernel"] + gap for at in ours])
    row("ours: all of them", [max(at[s] for s in STEPS) - at["kernel"] + gap for at in ours])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--bare", required=True)
    parser.add_argument("--boots", type=int, default=3)
    arguments = parser.parse_args()
    image = TOP / f"out/keelson-{arguments.version}-amd64.raw"
    user_data = (TOP / "configs/examples/single-node.yaml").read_text()
    WORK.mkdir(parents=True, exist_ok=True)
    bare = make_bare_image(image, arguments.version, arguments.bare)
    floor, gaps, ours = [], [], []
    for i in range(arguments.boots):
        turns = [lambda: ours.append(boot_ours(image, i, user_data)),
                 lambda: [kept.append(v) for kept, v in zip((floor, gaps), boot_bare(bare, i))]]
        for turn in turns if i % 2 == 0 else reversed(turns):
            turn()
        print(f"bench-ready: boot {i + 1} of {arguments.boots}: bare {floor[-1]:.2f} s, "
              f"ours {max(ours[-1][s] for s in STEPS) - ours[-1]['kernel'] + gaps[-1]:.2f} s", flush=True)
    gap = statistics.median(gaps)
    bare_median = statistics.median(floor)
    total = statistics.median([max(at[s] for s in STEPS) - at["kernel"] + gap for at in ours])
    print(f"\nseconds from the kernel's hand-over, {'KVM' if kvm_works() else 'emulated'}, a new disk for each boot\n")
    print(table(floor, ours, gap))
    print(f"\nratio {total / bare_median:.2f}, at most {LIMIT} wanted")
    rows = [{"name": "hand-over to containerd ready, network up, configuration in force", "unit": "s",
             "ours": round(total, 3), "peers": {"containerd alone under a bare init": round(bare_median, 3)}}]
    (TOP / "out/bench-ready.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if total <= LIMIT * bare_median else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(f"bench-ready: {trouble}")
