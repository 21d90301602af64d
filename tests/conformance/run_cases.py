#!/usr/bin/python3
"""Run the upstream conformance cases of cases.txt against a node, and say what became of each.

usage: run_cases.py --archive TEST.tar.gz --kubeconfig FILE [--server-archive SERVER.tar.gz] [--out DIR]
       run_cases.py --archive TEST.tar.gz --check        every name of cases.txt is one case of the archive? (no node needed)

The cases run one after another, in a fixed order, on this machine; only the pods run on the node. Prints one line per
case as it ends (passed, or FAILED and the reason), then every case that never ran, then `N passed, N failed`. A case
that did not run counts as failed. Everything e2e.test printed is kept in DIR/e2e.log, its JUnit report beside it.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = "Kubernetes e2e suite"


def read_cases(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip() for line in f]
    cases = [line for line in lines if line and not line.startswith("#")]
    twice = sorted({c for c in cases if cases.count(c) > 1})
    if twice:
        sys.exit(f"conformance: {path}: listed twice: {twice[0]}")
    return cases


def focus(cases):
    """One expression that matches these cases and no others. Ginkgo 1 matches it against: suite, top container, name."""
    return "^" + re.escape(SUITE) + r" (\[Top Level\] )?(" + "|".join(re.escape(c) for c in cases) + r")\s*$"


def extract(archive, name, into):
    """Take the program `name` out of an archive in the shape of Kubernetes' own, unless it is there already."""
    to = os.path.join(into, name)
    if os.path.exists(to) and os.path.getmtime(to) >= os.path.getmtime(archive):
        return to
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and os.path.basename(member.name) == name:
                with tar.extractfile(member) as source, open(to + ".new", "wb") as target:
                    shutil.copyfileobj(source, target)
                os.chmod(to + ".new", 0o755)
                os.rename(to + ".new", to)
                return to
    sys.exit(f"conformance: {archive}: expected a program {name} in it, found none")


def find_kubectl(server_archive, into):
    """A few cases read files through `kubectl exec`; which ones is e2e.test's affair, so it is always given one."""
    if server_archive:
        return extract(server_archive, "kubectl", into)
    found = shutil.which("kubectl")
    if not found:
        sys.exit("conformance: expected kubectl on PATH or --server-archive, found neither")
    return found


def command(e2e, args, cases, out):
    words = [e2e, "--ginkgo.focus=" + focus(cases), "--ginkgo.noColor", "--ginkgo.seed=1", "--report-dir=" + out]
    if args.check:
        return words + ["--ginkgo.dryRun", "--kubeconfig=/dev/null"]
    kubectl = find_kubectl(args.server_archive, out)
    return words + [
        "--kubeconfig=" + os.path.abspath(args.kubeconfig),
        "--kubectl-path=" + kubectl,
        "--provider=skeleton",
        "--node-os-distro=debian",
        "--container-runtime=remote",
        "--num-nodes=1",
        "--ginkgo.progress",
        "--ginkgo.slowSpecThreshold=600",
        "--node-schedulable-timeout=10m",
        "--system-pods-startup-timeout=20m",
        "--system-daemonsets-startup-timeout=20m",
        "--max-nodes-to-gather-from=0",
        "--e2e-output-dir=" + out,
    ]


def show(passed, name, seconds=None, reason=""):
    took = "" if seconds is None else f"{seconds:6.1f} s"
    print(f"{'passed' if passed else 'FAILED'} {took:>8}  {name}{': ' + reason if reason else ''}", flush=True)


class Run:
    """e2e.test while it runs: its progress messages are read from its output, which also goes to the log."""

    def __init__(self, words, env, log, timeout):
        self.ended = {}
        self.out_of_time = False
        # A group of its own, so that the end of time ends kubectl and the like, too.
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        errors="replace", env=env, start_new_session=True)
        signal.signal(signal.SIGALRM, self.stop)
        signal.alarm(timeout)
        with open(log, "w", encoding="utf-8") as f:
            self.follow(f)
        signal.alarm(0)
        self.status = self.process.wait()

    def stop(self, *_):
        self.out_of_time = True
        os.killpg(self.process.pid, signal.SIGKILL)

    def follow(self, log):
        started = time.monotonic()
        for line in self.process.stdout:
            log.write(line)
            log.flush()
            ended = re.search(r'\{"msg":"(PASSED|FAILED) .*', line)  # ginkgo's dot may stand in front of it
            if not ended:
                continue
            name = json.loads(ended[0])["msg"].split(" ", 1)[1].rstrip()
            seconds = time.monotonic() - started
            started = time.monotonic()
            self.ended[name] = (ended[1] == "PASSED", seconds)
            # The reason of a failure stands in the report alone, written at the very end: told then.
            show(ended[1] == "PASSED", name, seconds, "" if ended[1] == "PASSED" else "reason below")


def read_report(path):
    """name -> (verdict, reason): what JUnit says of each case that was not skipped; nothing when there is no report."""
    found = {}
    if not os.path.exists(path):
        return found
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        failure = case.find("failure")
        if failure is not None:
            found[case.get("name").rstrip()] = (False, first_words(failure.text or failure.get("message") or ""))
        elif case.find("skipped") is None:
            found[case.get("name").rstrip()] = (True, "")
    return found


def first_words(text):
    """The message of a failure in one line: without the place in the source, the date and Go's pointers."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not re.match(r"^(/|_output/|k8s\.io/|test/)\S+\.go:\d+$", line)]
    words = re.sub(r"^[A-Z][a-z]{2} +\d+ [\d:.]+: ", "", " ".join(lines))
    words = re.sub(r"<\*?[\w.]+ \| 0x[0-9a-f]+>: ?", "", words)
    return words if len(words) <= 300 else words[:297] + "..."


def check_names(report, cases):
    matched = [c for c in cases if c in report]
    for case in cases:
        if case not in report:
            show(False, case, reason="no case of the archive has this name")
    for name in sorted(set(report) - set(cases)):
        show(False, name, reason="selected, but not listed")
    print(f"{len(matched)} passed, {len(cases) - len(matched) + len(set(report) - set(cases))} failed")
    return 0 if len(matched) == len(cases) == len(report) else 1


def tail(path, count):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.readlines()[-count:]


def tell(run, report, cases, log):
    passed, reasons = 0, []
    for case in cases:
        good, reason = report.get(case, (None, ""))
        if good is None and case in run.ended:
            good, reason = run.ended[case][0], "failed; e2e.test ended before it wrote why"
        if good is None:
            reason = "did not run: " + ("out of time" if run.out_of_time else f"e2e.test ended with status {run.status}")
        if good:
            passed += 1
        else:
            reasons.append((case, reason))
    if reasons:
        print("\nfailed:")
    for case, reason in reasons:
        show(False, case, run.ended.get(case, (0, None))[1], reason)
    if not run.ended:
        print(f"no case ran; the end of {log}:\n  " + "  ".join(tail(log, 15)))
    for name in sorted(set(run.ended) - set(cases)):
        print(f"not listed, but ran: {name}")
    print(f"{passed} passed, {len(cases) - passed} failed")
    return 0 if passed == len(cases) else 1


def parse_arguments(words):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--archive", required=True, help="kubernetes-test-linux-amd64.tar.gz")
    p.add_argument("--server-archive", help="kubernetes-server-linux-amd64.tar.gz, for its kubectl (default: PATH)")
    p.add_argument("--kubeconfig", help="of the node")
    p.add_argument("--cases", default=os.path.join(HERE, "cases.txt"))
    p.add_argument("--only", default="", help="run only the cases that match this regular expression")
    p.add_argument("--out", default="out/conformance", help="log and report (default: %(default)s)")
    p.add_argument("--timeout", type=int, default=3 * 3600, help="seconds for everything (default: %(default)s)")
    p.add_argument("--check", action="store_true", help="check the names alone; needs no node")
    args = p.parse_args(words)
    if not args.check and not args.kubeconfig:
        p.error("expected --kubeconfig FILE, or --check")
    return args


def main(words=None):
    args = parse_arguments(words)
    cases = [c for c in read_cases(args.cases) if re.search(args.only, c)]
    if not cases:
        sys.exit(f"conformance: expected cases in {args.cases}, found none that match {args.only!r}")
    out = os.path.abspath(args.out)
    log, junit = os.path.join(out, "e2e.log"), os.path.join(out, "junit_01.xml")
    os.makedirs(out, exist_ok=True)
    if os.path.exists(junit):
        os.unlink(junit)

    e2e = extract(args.archive, "e2e.test", out)
    env = dict(os.environ, KUBE_TEST_REPO_LIST=os.path.join(HERE, "registries.yaml"))
    if args.check:
        with open(log, "w", encoding="utf-8") as f:
            subprocess.run(command(e2e, args, cases, out), stdout=f, stderr=f, env=env, check=False, timeout=args.timeout)
        return check_names(read_report(junit), cases)
    run = Run(command(e2e, args, cases, out), env, log, args.timeout)
    return tell(run, read_report(junit), cases, log)


if __name__ == "__main__":
    sys.exit(main())
