"""Reads the files of one rulebook directory, without trusting what lies in it."""

import os
import stat
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from rungwise.domain.errors import RulebookProblem

MAX_FILE_BYTES = 1 << 20
_MAX_ENTRIES = 5000
_MAX_FOLDERS = 4

_TOP_FILES = ("facts.yaml", "messages.yaml")
_FOLDERS = ("advice", "catalog", "evidence", "ladders", "limits")


@dataclass(frozen=True, slots=True)
class RulebookFile:
    """One file as read: `path` inside the rulebook, `name` as problems show it, line ends made newlines."""

    path: str
    name: str
    text: str


def is_cases(path: str) -> bool:
    """Tell whether the file holds the cases of a rule: they test decisions and never make them."""
    return path.endswith(".cases.yaml")


def read_directory(
    directory: Path | Traversable, prefix: str, cases: bool
) -> tuple[list[RulebookFile], list[RulebookProblem]]:
    """Read all files of a rulebook in path order, and name every file that cannot be used.

    `prefix` goes before each path in a problem ("" for the base, the directory as given for an overlay).
    Cases are left out unless `cases`. Nothing outside the directory is read, and nothing but regular files.
    """
    shown = (prefix or str(directory)).rstrip("/")
    try:
        if not directory.is_dir():
            there = "is not a directory" if directory.is_file() else "does not exist"
            return [], [RulebookProblem(shown, 0, 0, f"the rulebook directory {there}")]
        walk = _Walk(directory, prefix)
        walk.folder(walk.root, "")
    except OSError as error:
        return [], [RulebookProblem(shown, 0, 0, f"cannot be read: {error.strerror}")]
    files: list[RulebookFile] = []
    for path, source in sorted(walk.found.items()):
        if is_cases(path) and not cases:
            continue
        try:
            data = _read(source)
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            column = error.start - data.rfind(b"\n", 0, error.start)
            walk.problems.append(RulebookProblem(prefix + path, line, column, "not UTF-8 text"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            walk.problem(path, f"cannot be read: {reason}")
        else:
            text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
            files.append(RulebookFile(path, prefix + path, text))
    return files, walk.problems


class _Walk:
    """Finds the files of a rulebook, and names what should not lie among them."""

    def __init__(self, directory: Path | Traversable, prefix: str) -> None:
        self.root = directory.resolve() if isinstance(directory, Path) else directory
        self.found: dict[str, Path | Traversable] = {}
        self.problems: list[RulebookProblem] = []
        self._prefix = prefix
        self._entries = 0
        self._seen: set[Path] = set()

    def problem(self, path: str, message: str) -> None:
        self.problems.append(RulebookProblem(self._prefix + path, 0, 0, message))

    def folder(self, folder: Path | Traversable, inside: str) -> None:
        """Take what lies in a folder; `inside` is its path, empty or ending in a slash."""
        if isinstance(folder, Path):
            real = folder.resolve()
            if real in self._seen:
                self.problem(inside, "the folder is linked to twice")
                return
            self._seen.add(real)
        for child in sorted(folder.iterdir(), key=lambda child: child.name):
            self._entries += 1
            if self._entries > _MAX_ENTRIES:
                # Said once: somebody's home directory is no rulebook, and is not searched for one.
                if self._entries == _MAX_ENTRIES + 1:
                    self.problem(inside, f"a rulebook has at most {_MAX_ENTRIES} files")
                return
            # Hidden files and folders belong to editors, version control and ConfigMap mounts.
            if not child.name.startswith((".", "__")):
                try:
                    self._take(child, inside + child.name)
                except OSError as error:
                    self.problem(inside + child.name, f"cannot be read: {error.strerror}")

    def _take(self, child: Path | Traversable, path: str) -> None:
        wanted = path.endswith((".yaml", ".yml", ".csv"))
        # A folder may be a symlink (Kubernetes mounts a ConfigMap so); what it leads to must stay inside.
        if isinstance(child, Path) and isinstance(self.root, Path) and child.is_symlink():
            if not child.exists():
                if wanted:
                    self.problem(path, "the symlink leads nowhere")
                return
            if not child.resolve().is_relative_to(self.root):
                if wanted or child.is_dir():
                    self.problem(path, "the symlink leaves the rulebook directory")
                return
        if child.is_dir():
            fault = _misplaced_folder(path)
            if fault:
                self.problem(path, fault)
            else:
                self.folder(child, path + "/")
        elif wanted:
            fault = _misplaced_file(path)
            if fault:
                self.problem(path, fault)
            else:
                self.found[path] = child


def _misplaced_folder(path: str) -> str:
    top, _, rest = path.partition("/")
    if top not in _FOLDERS:
        return f"not a folder of a rulebook: those are {', '.join(_FOLDERS)}"
    if rest and top != "catalog":
        return f"{top}/ has no folders"
    return f"folders nested deeper than {_MAX_FOLDERS}" if path.count("/") == _MAX_FOLDERS else ""


def _misplaced_file(path: str) -> str:
    folder, slash, _ = path.rpartition("/")
    if path.endswith(".yml"):
        return "rulebook files end in .yaml"
    if not slash and path not in _TOP_FILES:
        return f"not a file of a rulebook: outside its folders those are {', '.join(_TOP_FILES)}"
    if path.endswith(".csv") and folder != "evidence":
        return "only evidence/ has CSV files"
    if is_cases(path) and folder not in ("limits", "advice"):
        return "only rules have cases"
    return ""


def _read(source: Path | Traversable) -> bytes:
    """Read the bytes of a regular file; a FIFO or device does not hang. Raises OSError or ValueError."""
    if not isinstance(source, Path):
        data = source.read_bytes()
    else:
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError("not a regular file")
            data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"larger than {MAX_FILE_BYTES} bytes")
    return data
