"""What lies on a machine's disk after it is off: partitions, their bytes, and the health of `state`."""

import contextlib
import hashlib
import json
import subprocess

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


def check_state(path):
    """e2fsck -n of state: (exit status, what it said). Status 0: clean."""
    start, _ = partition(path, "state")
    done = subprocess.run(["e2fsck", "-n", f"{path}?offset={start}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout
