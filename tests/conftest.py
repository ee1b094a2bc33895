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

GPU = shutil.which("nvidia-smi") is not None


def pytest_report_header() -> str:
    """Said at the head of every run, so that nothing is left out unnoticed."""
    return f"GPU of NVIDIA: {'yes' if GPU else 'no, so that what runs on one is not tested'}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs a GPU is left out where there is none."""
    left_out = [] if GPU else [item for item in items if item.get_closest_marker("gpu")]
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
