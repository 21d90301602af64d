"""A kernel's last words: what a panic leaves in the firmware's variables is told by the next boot and kept."""

import disk
from conftest import fresh
from machine import run


def damage(machine):
    """One byte in each block of the root's first eighth, so that whatever boot reads first meets one."""
    with disk.raw(machine) as path:
        start, size = disk.partition(path, "keelson_")
        with open(path, "r+b") as f:
            for offset in range(start + 4096 * 16, start + size // 8, 4096):
                f.seek(offset)
                byte = f.read(1)
                f.seek(offset)
                f.write(bytes([byte[0] ^ 1]))
        machine.disk.unlink()
        run("qemu-img", "convert", "-O", "qcow2", path, machine.disk)


def test_a_panic_s_reason_is_told_by_the_next_boot_once():
    with fresh("last-words") as machine:
        damage(machine)
        machine.start()
        machine.console.wait(r"Kernel panic - not syncing: .*verity", 120)
        machine.console.wait(r"Rebooting in", 30)  # printed after the log was kept
        machine.power_cut()
        machine.new_disk()
        machine.start()
        machine.console.wait(r'\] last-words +the kernel of an earlier boot ended with "Kernel panic - not syncing: .*verity', 120)
        machine.console.wait(r"\] images +ready", 120)
        machine.power_button(60)
        machine.start()
        machine.console.wait(r"\] images +ready", 120)
        assert "last-words  the kernel" not in machine.console.text()
