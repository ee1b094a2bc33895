"""Calls of the Linux kernel that Python has no functions for. All raise OSError."""

import ctypes
import os
from functools import cache
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38

CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWIPC: Final = 0x0800_0000
CLONE_NEWUSER: Final = 0x1000_0000
CLONE_NEWPID: Final = 0x2000_0000
CLONE_NEWNET: Final = 0x4000_0000

MS_NOSUID: Final = 0x2
MS_NODEV: Final = 0x4
MS_NOEXEC: Final = 0x8
MS_BIND: Final = 0x1000
MS_REC: Final = 0x4000
MS_PRIVATE: Final = 0x4_0000

CAPABILITY_VERSION_3: Final = 0x2008_0522


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process."""
    _call("prctl", *(ctypes.c_ulong(argument) for argument in (option, value, 0, 0, 0)))


def unshare(namespaces: int) -> None:
    """Leave these namespaces for new ones; that of processes is for the children of this one."""
    _call("unshare", namespaces)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or change how one is mounted."""
    _call("mount", *map(os.fsencode, (source, target, kind)), ctypes.c_ulong(flags), os.fsencode(options))


def drop_capabilities() -> None:
    """Give up all privileges of this process for good, those within its own namespaces included."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    header, no_capabilities = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _call("capset", header, no_capabilities)


def inotify_init() -> int:
    """A descriptor that does not block and whose reads give events."""
    return _call("inotify_init1", os.O_NONBLOCK | os.O_CLOEXEC)


def inotify_add_watch(descriptor: int, path: str, events: int) -> int:
    """Have the events of a file or folder told there; the number that they will carry."""
    return _call("inotify_add_watch", descriptor, os.fsencode(path), ctypes.c_uint32(events))


def _call(name: str, *arguments: object) -> int:
    result: int = getattr(_libc(), name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
