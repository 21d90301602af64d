"""What the fuzz targets have shown, a line each, and the plain closing line of every test command of the project."""

import pytest

ROWS = pytest.StashKey()


@pytest.fixture
def tell(request):
    """Say a line at the end of the run, whatever came of the test."""
    rows = request.config.stash.setdefault(ROWS, [])
    return rows.append


def pytest_terminal_summary(terminalreporter):
    for row in terminalreporter.config.stash.get(ROWS, []):
        terminalreporter.write_line(row)
    stats = terminalreporter.stats
    failed = len(stats.get("failed", [])) + len(stats.get("error", []))
    terminalreporter.config.closing_line = f"{len(stats.get('passed', []))} passed, {failed} failed"


def pytest_unconfigure(config):
    line = getattr(config, "closing_line", None)
    if line:
        print(line)
