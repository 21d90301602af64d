#!/usr/bin/python3
"""Boot an image with the suite's container images in it, run the conformance cases against it, power it off.

usage: boot.py IMAGE TEST_ARCHIVE SERVER_ARCHIVE [OPTIONS OF run_cases.py]
"""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vm"))

import run_cases  # noqa: E402
from machine import TOP, Machine, Trouble, make_seed  # noqa: E402

OUT = TOP / "out/conformance"
READY = r"^\[ *[0-9.]+\] node +\S+ Ready, Kubernetes v"
READY_SECONDS = 600
POWER_OFF_SECONDS = 60


def main(image, test_archive, server_archive, *options):
    directory = OUT / "machine"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    seed = make_seed(directory / "seed.img", (TOP / "configs/examples/single-node.yaml").read_text())
    with Machine(directory, image, seed=seed, echo=lambda line: print(line, flush=True)) as machine:
        machine.start()
        kubeconfig = directory / "kubeconfig"
        kubeconfig.write_text(machine.kubeconfig(READY_SECONDS))
        machine.console.wait(READY, READY_SECONDS, never="Kernel panic|maintenance mode")
        machine.console.echo = None
        status = run_cases.main(["--archive", test_archive, "--server-archive", server_archive,
                           "--kubeconfig", str(kubeconfig), "--out", str(OUT), *options])
        machine.power_button(POWER_OFF_SECONDS)
    return status


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except Trouble as trouble:
        print(f"conformance: {trouble}")
        print(f"0 passed, {len(run_cases.read_cases(run_cases.HERE + '/cases.txt'))} failed")
        sys.exit(1)
