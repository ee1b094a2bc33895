"""Fixtures that several test files share."""

import os
import shutil
import signal

import pytest
from hypothesis import HealthCheck, settings

# Time says nothing on a shared machine, and most random rules make no automaton or grammar: those are filtered out.
settings.register_profile(
    "ours", deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
settings.load_profile("ours")

# A test run in the background of a shell ignores Ctrl-C, and would hand that on to the programs it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

NEEDED = {"chromium": "chromedriver", "gpu": "nvidia-smi", "node": "node"}
"""Marker of tests -> the program without which they are left out."""


def missing() -> list[str]:
    """The markers whose tests cannot be run here."""
    return [marker for marker, program in NEEDED.items() if shutil.which(program) is None]


def pytest_report_header() -> str:
    """Said at the head of every run, so that nothing is left out unnoticed."""
    without = missing()
    return f"left out: what needs {' or '.join(without)}" if without else "nothing is left out"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs a program is left out where there is none."""
    without = missing()
    left_out = [item for item in items if any(item.get_closest_marker(marker) for marker in without)]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    """Under continuous integration a skipped test is a failed one: nothing is left out there unnoticed."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped under CI: {report.longrepr}"
