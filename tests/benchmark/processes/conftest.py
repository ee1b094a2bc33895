"""What of isolation can be tested on this machine."""

import shutil
import subprocess

UNSHARE = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--ipc",
    "--pid",
    "--fork",
    "--mount-proc",
]


def namespaces_are_allowed() -> bool:
    """Whether this machine lets users make namespaces, asked of another program than ours."""
    if not shutil.which(UNSHARE[0]):
        return False
    return subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode == 0


ALLOWED = namespaces_are_allowed()

collect_ignore = [] if ALLOWED else ["test_isolation.py"]


def pytest_report_header() -> str:
    """Said at the head of every run, so that nothing is left out unnoticed."""
    return f"namespaces for users: {'yes' if ALLOWED else 'no, so that isolation is not tested'}"
