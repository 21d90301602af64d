"""Run one test program with one mutant alive, where it can neither harm the machine nor take it for itself.

It sees everything read-only but an empty /tmp and build/mutants, all processes it leaves end with it, and time, processor
time and memory are bounded. Root is needed for that.
"""

import json
import os
import subprocess
import time

from build import MUTANTS_MOST

CAGE = """mount --bind build/mutants build/mutants && mount -o remount,bind,ro / && mount -t tmpfs -o size=256m none /tmp &&
ulimit -c 0 && ulimit -t "$1" && exec "$2" """
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", CAGE, "sh"]
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_test(program, seconds, wait, more):
    """True when it passes. seconds: of the processor; wait: seconds on the clock."""
    environment = {
        **os.environ,
        "ASAN_OPTIONS": "hard_rss_limit_mb=1024",
        "SIM_RUNS": "500",
        **more,
    }
    process = subprocess.Popen([*UNSHARE, str(int(seconds)), str(program)], env=environment, **QUIET)
    try:
        return process.wait(wait) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        process.kill()
        process.wait()


def measure(program):
    """Run it as written. Returns (passes, seconds it took, numbers of the mutants it came by); once for each build."""
    seen, known = program.with_suffix(".seen"), program.with_suffix(".measured")
    if known.exists() and known.stat().st_mtime_ns > program.stat().st_mtime_ns:
        took, numbers = json.loads(known.read_text())
        return True, took, set(numbers)
    seen.write_bytes(bytes(MUTANTS_MOST))
    started = time.monotonic()
    passes = run_test(program, 600, 3600, {"MUTANTS_SEEN": str(seen)})
    took = time.monotonic() - started
    numbers = [i for i, byte in enumerate(seen.read_bytes()) if byte]
    if passes:
        known.write_text(json.dumps([took, numbers]))
    return passes, took, set(numbers)
