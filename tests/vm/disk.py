"""What lies on a machine's disk after it is off: partitions, their bytes, and the health of `state`."""

import contextlib
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile

from machine import Trouble, run


@contextlib.contextmanager
def raw(machine):
    """The disk as one plain sparse file."""
    path = machine.directory / "disk.raw"
    run("qemu-img", "convert", "-O", "raw", machine.disk, path)
    try:
        yield path
    finally:
        path.unlink()


@contextlib.contextmanager
def edited(machine):
    """The same, to be changed: what is in it at the end is the machine's disk."""
    with raw(machine) as path:
        yield path
        machine.disk.unlink()
        run("qemu-img", "convert", "-O", "qcow2", path, machine.disk)


def partition(path, label):
    # On a disk larger than its image sfdisk warns, on standard error, that the backup table is not at the end.
    said = subprocess.run(["sfdisk", "-J", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    table = json.loads(said)["partitiontable"]
    size = table.get("sectorsize", 512)
    for p in table["partitions"]:
        if p.get("name", "").startswith(label):
            return p["start"] * size, p["size"] * size
    raise Trouble(f"expected a partition labelled {label} in {path}, found {[p.get('name') for p in table['partitions']]}")


def sha256(path, label):
    start, size = partition(path, label)
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        f.seek(start)
        while size:
            data = f.read(min(size, 1 << 22))
            if not data:
                raise Trouble(f"{path}: partition {label} is cut short")
            digest.update(data)
            size -= len(data)
    return digest.hexdigest()


def flip_root(machine):
    """One byte in each block of the root's first eighth, so that whatever boot reads first meets one."""
    with edited(machine) as path:
        start, size = partition(path, "keelson_")
        with open(path, "r+b") as f:
            for offset in range(start + 4096 * 16, start + size // 8, 4096):
                f.seek(offset)
                byte = f.read(1)
                f.seek(offset)
                f.write(bytes([byte[0] ^ 1]))


def check_state(path):
    """e2fsck -n of state: (exit status, what it said). Status 0: clean."""
    start, _ = partition(path, "state")
    done = subprocess.run(["e2fsck", "-n", f"{path}?offset={start}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def make_state(path, files):
    """The state of a node that was up before: ext4 as `keelson storage` makes it, with these files {path: text}."""
    start, size = partition(path, "state")
    with tempfile.TemporaryDirectory() as top:
        for name, text in files.items():
            file = pathlib.Path(top) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        reserved = max(5, 100 * (256 << 20) / size)
        run("mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-m", f"{reserved:.2f}", "-L", "state", "-d", top,
            "-E", f"offset={start},root_owner=0:0,lazy_itable_init=1,lazy_journal_init=1,nodiscard", path, f"{size >> 10}k")


def mark_state(path):
    """Let the partition table say that state was in use, as a boot does (init/storage/plan_table.h)."""
    run("sfdisk", "--part-attrs", path, "7", "GUID:48,59")


def is_marked(path):
    attributes = run("sfdisk", "--part-attrs", path, "7").strip()
    return "48" in re.findall(r"\d+", attributes)


def debugfs(path, *commands):
    """debugfs on state; gives what it prints. It changes the file system where a command does."""
    start, _ = partition(path, "state")
    text = "".join(f"{command}\n" for command in commands)
    done = subprocess.run(["debugfs", "-w", "-f", "-", f"{path}?offset={start}"], input=text, text=True, capture_output=True)
    return "".join(line for line in done.stdout.splitlines(True) if not line.startswith("debugfs: "))


def spoil(path, offsets, length):
    """Write what nobody can read over these places of state."""
    start, size = partition(path, "state")
    with open(path, "r+b") as f:
        for offset in offsets:
            if offset + length <= size:
                f.seek(start + offset)
                f.write(b"\x5a" * length)


def fill_state(path):
    """One file takes everything that is not reserved, as a pod would."""
    numbers = debugfs(path, "stats -h")
    block, free, reserved = (int(re.search(rf"^{name}: +(\d+)", numbers, re.M)[1])
                             for name in ("Block size", "Free blocks", "Reserved block count"))
    blocks = free - reserved
    debugfs(path, "write /dev/null filler", f"fallocate filler 0 {blocks - 1}", f"set_inode_field filler size {blocks * block}")


def take_apart(image, directory):
    """What the image's boot loader starts: (kernel, initramfs, command line)."""
    start, _ = partition(image, "esp")
    uki = directory / "image.efi"
    run("mcopy", "-n", "-o", "-i", f"{image}@@{start}", "::/EFI/Linux/*.efi", uki)
    for section in ("linux", "initrd", "cmdline"):
        run("objcopy", "-O", "binary", "--dump-section", f".{section}={directory / section}", uki, "/dev/null")
    return directory / "linux", directory / "initrd", (directory / "cmdline").read_text().strip("\0\n ")
