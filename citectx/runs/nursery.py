"""Kernels that start at once: forked from one process that has imported the libraries.

Notebooks import the same libraries, which takes longer than some of them compute. So a run of
several starts one process, the nursery, which imports them once and forks a kernel for each. It
imports nothing of this package, so that each kernel still reports what its own notebook imports.
Linux only: elsewhere system libraries do not survive a fork.
"""

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

LIBRARIES = (
    "ipykernel.kernelapp",
    "matplotlib.backends.backend_agg",
    "seaborn",
    "scipy.stats",
)
"""Modules that nearly every notebook imports; with them come numpy, pandas and most of SciPy."""

ENOUGH = 3
"""For fewer notebooks, importing what some of them may not need is no gain."""

_KIND = socket.AF_UNIX if sys.platform != "win32" else socket.AF_INET  # never used there

_nursery: list[Path] = []


@contextmanager
def opened(notebooks: int, environment: Mapping[str, str]) -> Iterator[None]:
    """Have kernels forked in this process while the block runs, if there are enough of them.

    Parameters
    ----------
    notebooks : int
        How many will be executed.
    environment : mapping of str to str
        Of the nursery. Each kernel gets its own, but what libraries read when they are loaded, and
        the allocator when a process starts, is this one.
    """
    if notebooks < ENOUGH or sys.platform != "linux":
        yield
        return
    with tempfile.TemporaryDirectory(prefix="nursery-") as folder, socket.socket(_KIND) as door:
        place = Path(folder) / "door"
        door.bind(str(place))
        door.listen()
        # Without the current folder, as kernels start; each gets its own.
        code = f"import sys; del sys.path[0]; from {__name__} import main; main({door.fileno()})"
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,  # its end tells the nursery that this process is gone
            env=dict(environment),
            pass_fds=[door.fileno()],
            start_new_session=True,  # Ctrl-C is for the run, which lets kernels finish
        )
        door.close()  # else nobody would learn that the nursery is gone
        _nursery.append(place)
        try:
            yield
        finally:
            _nursery.remove(place)
            process.terminate()  # its kernels have ended, and it may still be importing
            process.communicate()


def here() -> Path | None:
    """Return where to ask for a kernel, if there is a nursery."""
    return _nursery[-1] if _nursery else None


class Kernel:
    """A forked process, as far as Jupyter asks for what `subprocess.Popen` has.

    Parameters
    ----------
    place : Path
        See `here`.
    arguments : sequence of str
        Of ``ipykernel_launcher``.
    environment : mapping of str to str
    folder : Path
        Where it works.

    Raises
    ------
    WorkerError
        If the nursery has died.
    """

    stdin = stdout = stderr = None

    def __init__(
        self, place: Path, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        self.returncode: int | None = None
        self._line = socket.socket(_KIND)  # it ends when the process does
        wanted = {"arguments": [*arguments], "environment": {**environment}, "folder": f"{folder}"}
        try:
            self._line.connect(str(place))
            self._line.sendall(json.dumps(wanted).encode() + b"\n")
            self.pid = int(self._line.recv(100))
        except (OSError, ValueError) as error:  # it refuses, or it is silent
            from citectx.parallel import WorkerError  # not at the top: kernels would report it

            self._line.close()
            raise WorkerError(
                "the process that kernels are forked from has died; if memory is short, "
                "use fewer jobs"
            ) from error

    def poll(self) -> int | None:
        """Return None while it runs; what it returned is not known."""
        if self.returncode is None and select.select([self._line], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self) -> int | None:
        """Wait for its end."""
        if self.returncode is None:
            self._line.recv(1)
            self._end()
        return self.returncode

    def _end(self) -> None:
        self.returncode = 0
        self._line.close()

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def main(door: int) -> None:
    """Import the libraries, fork a kernel for each who asks, and end with the parent.

    Parameters
    ----------
    door : int
        Descriptor of the socket that requests come to.
    """
    # What a kernel would tell matplotlib before it is imported.
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    for name in LIBRARIES:
        import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a kernel would copy every page of what is shared
    signal.signal(signal.SIGCHLD, _bury)
    line = _in_child(socket.socket(fileno=door))
    if line is not None:
        _be_kernel(line)


def _bury(*_: object) -> None:
    """Take note of kernels that have ended; so their time counts as that of the run."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _in_child(door: socket.socket) -> socket.socket | None:
    """Fork for each who asks; returns in the child with the line to them, else at the end."""
    with door:
        while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
            line, _ = door.accept()
            if os.fork() == 0:
                return line
            line.close()
    return None


def _be_kernel(line: socket.socket) -> None:
    """Become the kernel that was asked for; `line` stays open as long as this process lives."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    with line.makefile("r", encoding="utf-8") as requests:
        wanted = json.loads(requests.readline())
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["folder"])
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    line.sendall(str(os.getpid()).encode())
    line.detach()  # only the end of the process closes it, not that of this function
    follow = f"--IPKernelApp.parent_handle={os.getppid()}"  # it ends when its parent does
    sys.argv = ["ipykernel_launcher", *wanted["arguments"], follow]
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
