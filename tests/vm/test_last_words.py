"""A kernel's last words: what a panic leaves in the firmware's variables is told by the next boot and kept."""

import disk
from conftest import fresh


def test_a_panic_s_reason_is_told_by_the_next_boot_once():
    with fresh("last-words") as machine:
        disk.flip_root(machine)
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
