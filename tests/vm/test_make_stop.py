"""make stop and make run against a process that only looks like a machine: nothing is booted here."""

import re
import subprocess
import sys

import pytest
import run
from kube import Cluster
from machine import Machine, Trouble

# A monitor that answers, a console that tells of a shutdown at the power button's press, and then the end.
MACHINE = r"""
import json, pathlib, socket, sys, time
here = pathlib.Path(sys.argv[2])
s = socket.socket(socket.AF_UNIX)
s.bind(str(here / "qmp.sock"))
s.listen(1)
print("listening", flush=True)
c, _ = s.accept()
console = open(here / "console.log", "a")
def say(*lines):
    console.write("".join(line + "\n" for line in lines))
    console.flush()
c.sendall(b'{"QMP": {}}\n')
for line in c.makefile("r"):
    c.sendall(b'{"return": {}}\n')
    if json.loads(line)["execute"] == "system_powerdown":
        say("[99.10] shutdown    stopping 1 pod (killed after 30 s)", "[99.20] kubelet     stopped (0.1 s)")
        time.sleep(1)
        say("[99.30] shutdown    pods stopped (1.0 s)")
        break
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "DIRECTORY", tmp_path)
    (tmp_path / "console.log").write_text("[ 1.00] shutdown    of an earlier boot\n")
    process = subprocess.Popen([sys.executable, "-c", MACHINE, "qemu-system-none", str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "listening\n"
    (tmp_path / "pid").write_text(str(process.pid))
    yield process
    process.kill()
    process.wait()


def test_the_shutdown_is_told_while_it_is_waited_for(machine, monkeypatch, capsys):
    monkeypatch.setattr(run, "QUIET_SECONDS", 0.5)
    assert run.stop() == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "run: power button pressed; each pod has up to 30 s to end"
    assert [line for line in said if not line.startswith("run:")] == [
        "[99.10] shutdown    stopping 1 pod (killed after 30 s)", "[99.30] shutdown    pods stopped (1.0 s)"]
    silent = r"run: waiting for the machine to switch off \(\d+ s\); the last line of its console: \[99.20\] kubelet "
    assert any(re.match(silent, line) for line in said), said
    assert re.fullmatch(r"run: powered off in \d+\.\d s", said[-1])


def test_a_machine_that_runs_keeps_a_second_one_out_before_anything_is_built(machine, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["run.py", "idle"])
    with pytest.raises(Trouble, match=f"a machine runs already .pid {machine.pid}.: make stop"):
        run.main()
    machine.kill()
    machine.wait()
    assert run.main() == 0


def test_who_waits_for_the_cluster_of_a_machine_that_ended_is_told_so_at_once(tmp_path):
    ended = Machine.__new__(Machine)
    ended.directory = tmp_path
    (tmp_path / "qemu.log").write_text("terminating on signal 15\n")
    ended.process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
    ended.process.wait()
    with pytest.raises(Trouble, match="qemu ended with 7: terminating on signal 15"):
        Cluster("none").until("an answer", lambda: False, 60, still=ended.must_run)


class Nothing(Machine):
    """QEMU itself, with the sockets of a machine and no machine behind them."""

    def command(self):
        socket = f"{self.directory}/{{}}.sock,server=on,wait=off".format
        return ["qemu-system-x86_64", "-machine", "none", "-display", "none", "-nodefaults", "-qmp", "unix:" + socket("qmp"),
                "-chardev", "socket,id=console,path=" + socket("console"), "-chardev", "socket,id=kubeconfig,path=" + socket("kubeconfig")]


def test_make_run_leaves_the_monitor_to_make_stop_while_it_waits(tmp_path, monkeypatch):
    def stop_instead(machine, timeout):
        machine.open_monitor()
        assert machine.monitor.command("query-status")["running"]
        machine.monitor.command("quit")
        raise Trouble("stopped")

    (tmp_path / "disk.qcow2").touch()
    (tmp_path / "keelson-0-amd64.raw").touch()
    (tmp_path / "user-data").touch()
    monkeypatch.setattr(run, "OUT", tmp_path)
    monkeypatch.setattr(run, "DIRECTORY", tmp_path)
    monkeypatch.setattr(run, "Machine", Nothing)
    monkeypatch.setattr(Nothing, "kubeconfig", stop_instead)
    with pytest.raises(Trouble, match="stopped"):
        run.start("default", "0", tmp_path / "user-data", True)
