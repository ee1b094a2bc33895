"""A model's process and all that it starts: what they get, what they may use, that nothing of them is left.

launch       start and end them, as one                       supervisor    between the evaluator and the model
limits       what a model may use                             environment   its variables
namespaces   without network, without sight of some folders   tree          who descends from whom; their memory
opened_files which files of a folder are opened, as they were inotify       the kernel's word on that
scratch      folders for temporary files                      linux         calls of the kernel
"""

import sys

from marnn_bench.errors import UsageError

if sys.platform == "win32":
    raise UsageError(
        "Models are evaluated on Linux and macOS: their processes are held by what POSIX has. On Windows use WSL; "
        "`generate`, `verify` and `publish` run there, too."
    )
