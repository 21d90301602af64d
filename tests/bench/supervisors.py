"""Ours and its peers: which programs each needs, and how so many services with logs are written down for it.

Every service is the same static program. Each peer is set up as its manual says, kindly where there is a choice: no
shell anywhere, the smallest set of programs, its own logger with time stamps.
"""

import os
import pathlib
import shutil
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
LIBRARIES = "usr/lib/x86_64-linux-gnu"


def service_names(count):
    return [f"s{k:03}" for k in range(count)]


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def run_by_folder(root, count, logger):
    """s6 and runit: a folder a service with ./run in it, and another one below for its logger."""
    for name in service_names(count):
        service = root / "services" / name
        (service / "log").mkdir(parents=True)
        (root / "logs" / name).mkdir(parents=True)
        shutil.copy(BUILD / "bench/beat", service / "run")
        shutil.copy(BUILD / "bench/log_run", service / "log/run")
        write(service / "log/command", "\n".join([*logger, f"/logs/{name}"]))


class Ours:
    name = "ours"
    packages = ()
    size_of = (str(BUILD / "init"),)  # PID 1 as it ships; what runs here is the same supervisor without the boot
    copied = (str(BUILD / "bench/bare_supervisor"),)
    command = ("/bare_supervisor",)
    logger = "its log writer, a file a service"
    logs = "var/log/keelson/s*.log"

    def lay_out(self, root, count):
        for name in service_names(count):
            write(root / f"table/{name}.service", f"[Service]\nExecStart=/beat {name}\nRestart=always\n[Keelson]\nHealthySec=1s\n")
        subprocess.run([BUILD / "sim/make_table", root / "table", root / "run/services.table"], check=True)
        shutil.rmtree(root / "table")


class S6:
    name = "s6"
    packages = ("s6", "libs6-2.11", "libskarnet2.13")
    size_of = copied = ("usr/bin/s6-svscan", "usr/bin/s6-supervise", "usr/bin/s6-log")
    command = ("/usr/bin/s6-svscan", "/services")
    logger = "s6-log, one a service"
    logs = "logs/*/current"

    def lay_out(self, root, count):
        run_by_folder(root, count, ("/usr/bin/s6-log", "t", "n2", "s4000000"))
        for name in service_names(count):
            write(root / "services" / name / "notification-fd", "3")


class Runit:
    name = "runit"
    packages = ("runit",)
    size_of = copied = ("usr/bin/runsvdir", "usr/bin/runsv", "usr/bin/svlogd")
    command = ("/usr/bin/runsvdir", "/services")
    logger = "svlogd, one a service"
    logs = "logs/*/current"

    def lay_out(self, root, count):
        run_by_folder(root, count, ("/usr/bin/svlogd", "-tt"))


class Finit:
    name = "finit"
    packages = ("finit", "libite5", "libuev3")
    size_of = copied = ("sbin/finit", "lib/finit/logit")
    command = ("/sbin/finit",)
    logger = "logit, one a service"
    logs = None  # logit keeps 4 KiB before it writes: nothing to be seen of 20 short lines

    def lay_out(self, root, count):
        lines = ["runlevel 2", "log size=4M count=1"]
        lines += [f"service :{name} [2] restart:250 log:/logs/{name} /beat {name} -- {name}" for name in service_names(count)]
        (root / "logs").mkdir()
        write(root / "etc/finit.conf", "\n".join(lines) + "\n")
        write(root / "etc/fstab", "")


class Busybox:
    name = "busybox"
    packages = ("busybox",)
    size_of = copied = ("bin/busybox",)
    command = ("/sbin/init",)
    logger = "syslogd, one for all: what services print is not logged"
    logs = None

    def lay_out(self, root, count):
        (root / "sbin").mkdir(exist_ok=True)
        for applet in ("init", "syslogd"):
            (root / "sbin" / applet).symlink_to("/bin/busybox")
        (root / "logs").mkdir()
        lines = ["::respawn:/sbin/syslogd -n -O /logs/messages"]
        lines += [f"::respawn:/beat {name}" for name in service_names(count)]
        write(root / "etc/inittab", "\n".join(lines) + "\n")


ALL = (Ours(), S6(), Runit(), Finit(), Busybox())
NOT_IN_DEBIAN = ("dinit", "nosh")


def libraries_of(program, unpacked):
    """Every shared library and the loader that the program is linked with."""
    path = {**os.environ, "LD_LIBRARY_PATH": str(unpacked / LIBRARIES)}
    listing = subprocess.run(["ldd", program], env=path, capture_output=True, text=True, check=False).stdout
    return {word for line in listing.splitlines() for word in line.split() if word.startswith("/")}


def source_of(program, unpacked):
    return pathlib.Path(program) if program.startswith("/") else unpacked / program


def size(supervisor, unpacked):
    """Bytes of every program and shared library that one supervised, logged service needs."""
    programs = [source_of(program, unpacked) for program in supervisor.size_of]
    files = set(programs)
    for program in programs:
        files |= {pathlib.Path(library) for library in libraries_of(program, unpacked)}
    return sum(path.stat().st_size for path in {path.resolve() for path in files})


def make_root(supervisor, root, unpacked, count):
    """A root with the supervisor, its libraries, and so many services. No file of it is shared with another process."""
    for folder in ("dev", "proc", "sys/fs/cgroup", "run", "tmp", "var", "etc", "bin", "sbin"):
        (root / folder).mkdir(parents=True)
    (root / "var/run").symlink_to("/run")
    for program in supervisor.copied:
        source = source_of(program, unpacked)
        target = root / (source.name if program.startswith("/") else program)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        for library in libraries_of(source, unpacked):
            place = root / (f"{LIBRARIES}/{os.path.basename(library)}" if library.startswith(str(unpacked)) else library[1:])
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, place)
    shutil.copy(BUILD / "bench/beat", root / "beat")
    supervisor.lay_out(root, count)
