"""The plain closing line that every test command of the project ends with."""


def pytest_terminal_summary(terminalreporter):
    stats = terminalreporter.stats
    failed = len(stats.get("failed", [])) + len(stats.get("error", []))
    terminalreporter.config.closing_line = f"{len(stats.get('passed', []))} passed, {failed} failed"


def pytest_unconfigure(config):
    line = getattr(config, "closing_line", None)
    if line:
        print(line)
