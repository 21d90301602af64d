"""What the fuzz targets have shown, a line each."""

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
