"""Trees to compare: files, folders, revisions of a git repository, as mappings from path to file. Only reads."""

from __future__ import annotations

import os

from .errors import Problem, Refused
from .model import File, FileChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Files = Mapping[str, File]

LINK, MODULE = 0o120000, 0o160000  # what git calls a symbolic link and a repository inside
_SKIPPED = (".git", ".anypatch")


def of_paths(old: str, new: str) -> tuple[Files, Files]:
    """Two folders, or two files under the name of the old one. A missing file is one that was made or deleted."""
    if os.path.isdir(old) and os.path.isdir(new):
        return _folder(old), _folder(new)
    if os.path.isdir(old) or os.path.isdir(new):
        raise Refused(Problem("bad_call", f"{old!r} and {new!r} are a folder and a file", advice="Give two of a kind."))
    names = [path for path in (old, new) if path != os.devnull]
    name = _inside(names[0] if names else old)
    found = [{name: file} if (file := _file(path)) is not None else {} for path in (old, new)]
    if not any(found):
        raise Refused(Problem("unreadable", f"there is neither {old!r} nor {new!r}"))
    return found[0], found[1]


def _inside(path: str) -> str:
    """A path as a patch may name it; its last name where it leads elsewhere."""
    plain = os.path.normpath(path).replace(os.sep, "/")
    outside = os.path.isabs(path) or plain.split("/")[0] == ".."
    return plain.rsplit("/", 1)[-1] if outside else plain


def _folder(root: str) -> dict[str, File]:
    found: dict[str, File] = {}
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in _SKIPPED)
        links = [name for name in below if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(folder, name)
            file = _file(path)
            if file is not None:
                found[os.path.relpath(path, root).replace(os.sep, "/")] = file
    return found


def _file(path: str) -> File | None:
    """A file as git would keep it: two sorts of permissions, a link as its target."""
    try:
        mode = os.lstat(path).st_mode
        if mode & 0o170000 == LINK:
            return File(os.fsencode(os.readlink(path)), LINK)
        with open(path, "rb") as file:
            return File(file.read(), 0o755 if mode & 0o100 else 0o644)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"{path!r} cannot be read: {getattr(error, 'strerror', error)}")) from None


# ── git ──────────────────────────────────────────────────────────────────────────────────────────


def of_git(root: str, old: str = "HEAD", new: str = "") -> tuple[Files, tuple[FileChange, ...]]:
    """A revision's files, and what changed from it to another one, or to the working tree with all new files in it."""
    top = _git(root, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
    before = Revision(top, old)
    raw = ("diff-tree", "-r", before.id, Revision(top, new).id) if new else ("diff-index", before.id)
    rows = _git(top, *raw, "-z", "--no-renames").decode("utf-8", "surrogateescape").split("\0")
    paths = {path: (meta.split()[1], meta.split()[3]) for meta, path in zip(rows[::2], rows[1::2], strict=False)}
    if not new:
        fresh = _git(top, "ls-files", "--others", "--exclude-standard", "-z").decode("utf-8", "surrogateescape")
        paths.update((path, ("", "")) for path in fresh.split("\0") if path)
    wanted = {blob for mode, blob in paths.values() if _is_blob(mode, blob)} if new else set()
    before.load(wanted | {blob for path in paths if (blob := before.blob(path))})
    changes = []
    for path in sorted(paths):
        mode, blob = paths[path]
        after = before.file(mode, blob) if new else _file(os.path.join(top, path))
        if before.get(path) != after:
            changes.append(FileChange(path, before.get(path), after))
    return before, tuple(changes)


def _is_blob(mode: str, blob: str) -> bool:
    return bool(blob.strip("0")) and int(mode, 8) & 0o170000 != MODULE


class Revision(dict[str, File]):
    """The files of a revision, each read when it is asked for, or many at once."""

    def __init__(self, root: str, name: str) -> None:
        super().__init__()
        self._root = root
        self._loaded: dict[str, bytes] = {}
        self.id = (
            _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{tree}}").decode().strip()
        )
        rows = _git(root, "ls-tree", "-r", "-z", self.id).decode("utf-8", "surrogateescape").split("\0")
        told = [row.partition("\t") for row in rows if row]
        self._blobs = {path: (meta.split()[0], meta.split()[2]) for meta, _, path in told}

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)

    def __missing__(self, path: str) -> File:
        found = self.file(*self._blobs[path])
        if found is None:
            raise KeyError(path)
        self[path] = found
        return found

    def get(self, path: str, default: File | None = None) -> File | None:  # type: ignore[override]
        """The file, None where there is none."""
        return self[path] if path in self._blobs else default

    def blob(self, path: str) -> str:
        """The name of a file's contents; "" where it has none."""
        mode, blob = self._blobs.get(path, ("0", ""))
        return blob if _is_blob(mode, blob) else ""

    def load(self, blobs: set[str]) -> None:
        """Read contents in one go."""
        names = sorted(blobs - self._loaded.keys())
        data = _git(self._root, "cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode())
        at = 0
        for name in names:
            end = data.index(b"\n", at)
            size = int(data[at:end].split()[-1])
            self._loaded[name] = data[end + 1 : end + 1 + size]
            at = end + size + 2

    def file(self, mode: str, blob: str) -> File | None:
        """A file by git's words for it."""
        if not blob.strip("0"):
            return None
        kind = int(mode, 8) & 0o170000
        if kind == MODULE:
            return File(blob.encode(), MODULE)
        bits = LINK if kind == LINK else int(mode, 8) & 0o777
        if blob not in self._loaded:
            self.load({blob})
        return File(self._loaded[blob], bits)


def _git(root: str, *arguments: str, given: bytes = b"") -> bytes:
    import subprocess

    # A repository may name a program to be asked for what changed; none is run for a look at it.
    call = ["git", "-C", root, "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(call, input=given, capture_output=True, check=False)  # noqa: S603
    except OSError as error:
        raise Refused(Problem("unreadable", f"git cannot be run: {error.strerror}")) from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        what = told or f"git knows nothing by the name of {arguments[-1].removesuffix('^{tree}')!r}"
        raise Refused(Problem("unreadable", what, advice="Check the revision, and --root for the repository."))
    return done.stdout
