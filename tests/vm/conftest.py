"""Fixtures shared by the tests that boot the real image."""

import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from kube import Cluster  # noqa: E402
from machine import TOP, Machine, make_seed  # noqa: E402

WORK = pathlib.Path(os.environ.get("KEELSON_VM_DIR", TOP / "out/vm"))
READY = r"^\[ *[0-9.]+\] node +\S+ Ready, Kubernetes v"
READY_SECONDS = 600
SINGLE = (TOP / "configs/examples/single-node.yaml").read_text()


def image(profile="default"):
    suffix = "" if profile == "default" else f"-{profile}"
    return pathlib.Path(os.environ.get("KEELSON_IMAGE_DIR", TOP / "out")) / f"keelson{suffix}-{os.environ['VERSION']}-amd64.raw"


def fresh(name, **keywords):
    """A machine with a new disk. Its console log stays in out/vm/NAME for whoever reads a failure."""
    directory = WORK / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    if "seed" not in keywords:
        keywords["seed"] = make_seed(directory / "seed.img", keywords.pop("user_data", SINGLE))
    keywords.pop("user_data", None)
    return Machine(directory, image(keywords.get("profile", "default")), **keywords)


def boot_to_ready(machine, timeout=READY_SECONDS):
    """Start it and wait for the line of the boot story that says Ready; gives the cluster as the host reaches it."""
    machine.start()
    path = machine.directory / "kubeconfig"
    path.write_text(machine.kubeconfig(timeout))
    machine.console.wait(READY, timeout, never="Kernel panic|maintenance mode")
    return Cluster(path)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    setattr(item, f"report_{call.when}", outcome.get_result())


def pytest_runtest_logreport(report):
    """A run of an hour shows what failed when it fails, not at its end."""
    if report.failed:
        print(f"\n{report.nodeid} ({report.when}):\n{report.longreprtext}", file=sys.__stderr__, flush=True)
