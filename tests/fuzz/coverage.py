#!/usr/bin/python3
"""The line coverage of each fuzz target's own parser over its corpus, as a table.

build/coverage/replay holds the parsers compiled with --coverage; it is run once for each target, and gcov counts.
usage: coverage.py [TARGET...]; fails when one is below the bound.
"""

import json
import os
import shutil
import subprocess
import sys

from targets import TOP, read_targets

LEAST = 80  # percent
BUILD = TOP / "build/coverage"


def replay(target):
    """Run the target's corpus; its counts land in a folder of their own."""
    counts = BUILD / "counts" / target
    shutil.rmtree(counts, ignore_errors=True)
    env = {**os.environ, "GCOV_PREFIX": str(counts), "GCOV_PREFIX_STRIP": str(len(TOP.parts) - 1)}
    subprocess.run([BUILD / "replay", target], cwd=TOP, env=env, check=True, timeout=300, capture_output=True)
    return counts


def count_lines(counts, parser):
    """(lines, those that ran) of a parser's file."""
    stem = BUILD.relative_to(TOP) / parser.file.removesuffix(".c")
    notes = (counts / stem).with_suffix(".gcno")
    shutil.copy((TOP / stem).with_suffix(".gcno"), notes)
    report = subprocess.run(["gcov", "--json-format", "--stdout", notes.with_suffix(".gcda")], cwd=TOP, check=True,
                            timeout=60, capture_output=True).stdout
    (file,) = [f for f in json.loads(report)["files"] if f["file"] == parser.file]
    there = {f["name"] for f in file["functions"]}
    if not parser.functions <= there:
        raise SystemExit(f"tests/fuzz/targets: {parser.file}: expected functions {sorted(parser.functions - there)}, "
                         "found none of that name")
    ran = {}
    for line in file["lines"]:
        if parser.counts(line.get("function_name", "")):
            ran[line["line_number"]] = ran.get(line["line_number"], False) or line["count"] > 0
    return ran


def measure(target, parsers):
    """(lines, those that ran, {file: lines that did not})"""
    counts = replay(target)
    lines, reached, missed = 0, 0, {}
    for parser in parsers:
        ran = count_lines(counts, parser)
        lines += len(ran)
        reached += sum(ran.values())
        missed[parser.file] = [number for number, was in sorted(ran.items()) if not was]
    return lines, reached, missed


def percent(reached, lines):
    return 100 * reached / lines


def row(target, parsers, lines, reached):
    files = ", ".join(os.path.basename(parser.file) for parser in parsers)
    return f"{target:16} {reached:5} of {lines:5} {percent(reached, lines):6.1f} %  {files}"


def main(names):
    targets, low = read_targets(), []
    for name in names or targets:
        lines, reached, missed = measure(name, targets[name])
        print(row(name, targets[name], lines, reached), flush=True)
        if os.environ.get("MISSED"):
            for file, numbers in missed.items():
                print(f"    {file}: {numbers}")
        if percent(reached, lines) < LEAST:
            low.append(name)
    if low:
        raise SystemExit(f"coverage: expected at least {LEAST} % of each parser, found less of: {', '.join(low)}: let "
                         "make fuzz find more, and keep it by make fuzz-corpus")


if __name__ == "__main__":
    main(sys.argv[1:])
