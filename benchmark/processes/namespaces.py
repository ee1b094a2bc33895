"""A process apart: no network, no other processes in sight, and some folders empty (Linux namespaces)."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from marnn_bench.processes import linux

APART = linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET | linux.CLONE_NEWIPC


def enter_namespaces() -> None:
    """Give this process namespaces of its own, without network; its next child is the first process of its own.

    Raises OSError where the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    linux.unshare(APART)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def hide_folders(hidden: Iterable[Path], kept: Iterable[Path], shared_memory: int) -> None:
    """Mount an empty folder over each hidden one; those kept, where they lie in one, are seen all the same.

    For the first process of its namespaces. It gets an own /proc, and an own /dev/shm of so many bytes; its privileges
    end here, so that nothing can be unmounted.
    """
    linux.mount("none", "/", flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.mount("proc", "/proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)
    linux.mount("tmpfs", "/dev/shm", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, f"size={shared_memory}")
    empty = {path.resolve() for path in hidden if path.is_dir()}
    seen = {path.resolve(): os.open(path, os.O_PATH) for path in kept if path.is_dir()}
    for path in sorted({*empty, *seen}, key=lambda path: len(path.parts)):
        if path in empty:
            linux.mount("tmpfs", str(path), "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=1m,mode=755")
        elif not empty.isdisjoint(path.parents):
            _bind(seen, path)
    for descriptor in seen.values():
        os.close(descriptor)
    linux.drop_capabilities()


def _bind(seen: Mapping[Path, int], path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    linux.mount(f"/proc/self/fd/{seen[path]}", str(path), flags=linux.MS_BIND | linux.MS_REC)
