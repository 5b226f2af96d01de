"""Patches written: from two trees, from another format, backwards. Every text is proven by planning it; writes no file.

text = anypatch.make("old", "new", "unified")                  # two folders, files or mappings
text = anypatch.convert(patch, "search-replace", "tree")       # the same edit for another tool
text = anypatch.invert(patch, "tree")                          # what takes the patch back, once it is applied
"""

from __future__ import annotations

import os

from .. import formats
from ..model import File, FileChange, Write
from ..problems import Problem, Refused
from ..text import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping

    from ..formats import Format
    from ..match.files import Tree
    from ..model import Patch
    from ..storage.tree import DiskTree

    Source = str | os.PathLike[str] | Mapping[str, str | bytes | File]
    from collections.abc import Iterator, Mapping

    FilesTrees = Mapping[str, File]


def make(old: Source, new: Source, format: str) -> str:
    """The patch that turns one tree into another: two folders, two files, or two mappings from path to contents.

    "" where nothing differs. Refused where the format can't say a change; applied to the old tree, the patch gives the
    new one byte for byte.
    """
    if isinstance(old, str) or hasattr(old, "__fspath__"):
        before, after = of_paths(_path(old), _path(new))
    else:
        before, after = _files(old), _files(new)
    return written(differences(before, after), format, Files(before))


def make_git(root: str | os.PathLike[str], format: str, old: str = "HEAD", new: str = "") -> str:
    """The patch from a git revision to another one, or to the working tree with all new files in it."""

    before, changes = of_git(_path(root), old, new)
    return written(_in_order(changes), format, Files(before))


def convert(text: str, to: str, files: Source | None = None, *, format: str = "", overwrite: bool | None = None) -> str:
    """The same patch in another format. `files`: the tree it is for, or its root; read only if places are looked up.

    `overwrite`: as for `apply`.
    "" where it changes nothing there. Refused where the patch doesn't fit the tree, or the format can't say it.
    """
    patch = _read(text, format)
    formats.named(to)
    from ..suggestions import written as as_read

    said = as_read(patch.ops, to)
    if said:
        return said
    if all(isinstance(op, Write) and not (op.overwrite or op.keep) for op in patch.ops):
        ops = [op for op in patch.ops if isinstance(op, Write)]
        return written(tuple(FileChange(op.path, None, File(encode(op.text), op.mode or 0o644)) for op in ops), to)
    if files is None:
        advice = "Give the tree that the patch is for."
        raise Refused(Problem("bad_call", "its places must be looked up, and there is no tree", advice=advice))
    with _opened(files) as tree:
        return written(planned(text, patch, tree, overwrite), to, tree)


def invert(text: str, files: Source, *, to: str = "", format: str = "", overwrite: bool | None = None) -> str:
    """The patch that takes another one back, for the tree that it leaves. `files`: the tree before, or its root.

    In the same format unless `to` names one. `overwrite`: as for `apply`. "" where the patch changes nothing.
    """
    patch = _read(text, format)
    with _opened(files) as tree:
        changes = planned(text, patch, tree, overwrite)
        back = tuple(change.inverse() for change in changes)
        return written(_in_order(back), to or patch.format.split(" + ")[0], After(tree, changes))


# ── what a patch does ────────────────────────────────────────────────────────────────────────────


def planned(text: str, patch: Patch, tree: Tree, overwrite: bool | None = None) -> tuple[FileChange, ...]:
    """The changes that a patch makes to a tree; Refused where it doesn't fit."""
    from ..api import planned as as_planned

    made = as_planned(text, patch, tree, overwrite)
    if made.problems:
        raise Refused(*made.problems)
    return made.changes


def _opened(files: Source) -> DiskTree | Files:
    """The tree that is meant, to be closed again."""
    if isinstance(files, str) or hasattr(files, "__fspath__"):
        from ..storage.tree import DiskTree

        return DiskTree(_path(files))
    return Files(_files(files))


def _read(text: str, format: str) -> Patch:
    from ..api import read

    patch = read(text, format)
    if patch.problems:
        raise Refused(*patch.problems)
    return patch


def differences(before: Mapping[str, File], after: Mapping[str, File]) -> tuple[FileChange, ...]:
    """What differs between two trees."""
    paths = sorted({*before, *after})
    changes = [FileChange(path, before.get(path), after.get(path)) for path in paths]
    return _in_order(tuple(change for change in changes if change.before != change.after))


def _in_order(changes: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """By path; but where a file gives way to a folder or a folder to a file, what goes is said first."""
    gone = {change.path for change in changes if change.after is None}
    made = [change.path for change in changes if change.before is None]
    parents = {path[:at] for path in (*made, *gone) for at, char in enumerate(path) if char == "/"}
    if parents.isdisjoint(gone) and parents.isdisjoint(made):
        return changes
    return tuple(sorted(changes, key=lambda change: change.after is not None))


def _files(files: object) -> dict[str, File]:
    assert hasattr(files, "items")
    found = {}
    for path, value in files.items():
        found[path] = (
            value if isinstance(value, File) else File(encode(value) if isinstance(value, str) else bytes(value))
        )
    return found


def _path(path: object) -> str:
    return path if isinstance(path, str) else path.__fspath__()  # type: ignore[attr-defined]


# ── the proof ────────────────────────────────────────────────────────────────────────────────────


def written(changes: tuple[FileChange, ...], name: str, tree: Tree | None = None) -> str:
    """The changes in a format. Applied to the tree, the text gives the files after, byte for byte; else Refused."""
    format = formats.named(name)
    for change in changes:
        _check(change, format)
    if not changes:
        return ""
    there = tree if tree is not None else Files({c.path: c.before for c in changes if c.before is not None})
    text, wrong = _tried(format, changes, there)
    if wrong is not None:
        # What a reader needs more words for is found out file by file.
        wide = {change.path for change in changes if _tried(format, (change,), there)[1] is not None}
        text, wrong = _tried(format, changes, there, wide or {change.path for change in changes})
    if wrong is not None:
        raise Refused(wrong)
    return text


def _check(change: FileChange, format: Format) -> None:
    """Refuse what no format can say, and what this one can't by its own word."""
    why = ""
    if any(file is not None and file.mode & 0o170000 for file in (change.before, change.after)):
        why = "it is a symbolic link or a repository of its own"
    elif change.before is None and "create" not in format.can:
        why = "it can't create files"
    elif change.after is None and "delete" not in format.can:
        why = "it can't delete files"
    if why:
        detail = f"{format.name} can't say this change of {change.path}: {why}"
        raise Refused(Problem("cannot_say", detail, change.path))


def _tried(
    format: Format, changes: tuple[FileChange, ...], tree: Tree, wide: Collection[str] = ()
) -> tuple[str, Problem | None]:
    """The changes as a text, and what is wrong with it: None where it makes these very changes."""
    text = format.render(changes, wide)
    try:
        found = {change.path: change.after for change in planned(text, format.parse(text), tree, True)}
    except Refused as refused:
        problem = refused.problems[0]
        why = f"{problem.detail or problem.kind} ({problem.kind})"
        return text, _other(format, problem.path or changes[0].path, why)
    wanted = {change.path: change.after for change in changes if change.before != change.after}
    # Where a path is in one of them only, it stands for itself and equals no file.
    other = next((path for path in wanted | found if wanted.get(path, path) != found.get(path, path)), "")
    return text, _other(format, other, "it would be read as another one") if other else None


def _other(format: Format, path: str, why: str) -> Problem:
    return Problem("cannot_say", f"{format.name} can't say this change of {path}: {why}", path)


class Files:
    """A mapping of files as a tree."""

    def __init__(self, files: Mapping[str, File]) -> None:
        self._files = files

    def __enter__(self) -> Files:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to close."""

    def canonical(self, path: str) -> str:
        """The path in its plainest form."""
        from ..paths import normalise

        return normalise(path)

    def read(self, path: str) -> File | None:
        """The file of that path."""
        return self._files.get(path)

    def ending(self, path: str) -> tuple[str, ...]:
        """Paths that end in this one, by whole names."""
        return tuple(sorted(key for key in self._files if key.endswith("/" + path)))

    def suggest(self, path: str) -> tuple[str, ...]:
        """Paths with the same last name."""
        name = path.rsplit("/", 1)[-1].casefold()
        return tuple(sorted(key for key in self._files if key.rsplit("/", 1)[-1].casefold() == name)[:3])

    def has_folder(self, path: str) -> bool:
        """Whether a file lies below that path."""
        return any(key.startswith(f"{path}/") for key in self._files)

    def link(self, path: str) -> None:
        """There are no links."""


class After:
    """A tree once changes were made to it."""

    def __init__(self, tree: Tree, changes: tuple[FileChange, ...]) -> None:
        self._tree = tree
        self._after = {change.path: change.after for change in changes}

    def canonical(self, path: str) -> str:
        """As in the tree before."""
        return self._tree.canonical(path)

    def read(self, path: str) -> File | None:
        """The file as it will be."""
        return self._after[path] if path in self._after else self._tree.read(path)

    def ending(self, path: str) -> tuple[str, ...]:
        """As in the tree before, but for files that are gone."""
        return tuple(key for key in self._tree.ending(path) if self.read(key) is not None)

    def suggest(self, path: str) -> tuple[str, ...]:
        """As in the tree before."""
        return self._tree.suggest(path)

    def has_folder(self, path: str) -> bool:
        """As in the tree before."""
        return self._tree.has_folder(path)

    def link(self, path: str) -> tuple[str, str] | None:
        """As in the tree before."""
        return self._tree.link(path)


# ── trees ───────────────────────────────────────────────────────────────────────────────────────────


LINK, MODULE = 0o120000, 0o160000  # what git calls a symbolic link and a repository inside
_SKIPPED = (".git", ".anypatch")


def of_paths(old: str, new: str) -> tuple[FilesTrees, FilesTrees]:
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


def of_git(root: str, old: str = "HEAD", new: str = "") -> tuple[FilesTrees, tuple[FileChange, ...]]:
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
