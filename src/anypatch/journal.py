"""The state directory: receipts of what was done, with the bytes that take it back. Never touches the tree itself.

A receipt is three names in `.anypatch/`: `ID.bytes` (all contents before and after, one behind the other),
`ID.json` (what they belong to) and, once taken back, `ID.undone`. It is complete as `ID.pending` before the tree
changes and gets its real name when the change is done.
"""

from __future__ import annotations

import errno
import os
import time

from .contain import OPEN_FOLDER, failure, quietly_close, read_at
from .errors import Problem, Refused
from .model import File, FileChange, Receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

STATE = ".anypatch"
VERSION = 1
KEEP = 20
KEEP_BYTES = 200 << 20

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ID_LENGTH = len("20261115-214403-3f2a")
_MAX_MANIFEST = 16 << 20
_MAX_BYTES = 4 << 30
# Everything a manifest that is torn, foreign or hostile can make reading it raise.
_UNREADABLE = (OSError, Refused, ValueError, TypeError, KeyError, IndexError, RecursionError)


def open_state(root: int, *, make: bool) -> int:
    """The state directory's descriptor, -1 where there is none and none is to be made."""
    try:
        if make:
            return _made_state(root)
        return os.open(STATE, OPEN_FOLDER, dir_fd=root)
    except OSError as error:
        if error.errno == errno.ENOENT and not make:
            return -1
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
            detail = "a file or a symbolic link stands where anypatch keeps its state"
            raise Refused(Problem("unsafe_path", detail, STATE, advice="Remove it, then run this again.")) from None
        raise failure(error, STATE) from None


def _made_state(root: int) -> int:
    try:
        os.mkdir(STATE, 0o700, dir_fd=root)
    except OSError as error:
        if error.errno != errno.EEXIST:
            raise
    state = os.open(STATE, OPEN_FOLDER, dir_fd=root)
    try:
        _write_new(state, ".gitignore", [b"*\n"])
    except FileExistsError:
        pass
    except BaseException:
        quietly_close(state)
        raise
    return state


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def reserve(state: int, now: float) -> str:
    """A new id, short and sorted by time: the last four digits are the fraction of the second."""
    tick = int(now * 65536)
    for _ in range(1000):
        seconds, fraction = divmod(tick, 65536)
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{fraction:04x}"
        try:
            os.close(os.open(f"{name}.bytes", _NEW, 0o600, dir_fd=state))
            return name
        except FileExistsError:
            tick += 1
    raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))


def write_receipt(state: int, receipt: Receipt, made: tuple[str, ...], patch: bytes = b"") -> None:
    """Everything undo needs, on the disk but not yet listed. `made`: the folders that came into being."""
    contents: list[bytes] = []
    offset = 0
    rows = []
    for path, before, after in receipt.changes:
        spans = []
        head, tail = shared(before.data, after.data) if before and after else (0, 0)
        for file, cut in ((before, (0, 0)), (after, (head, tail))):
            if file is None:
                spans.append("null")
                continue
            data = file.data[cut[0] : len(file.data) - cut[1]]
            spans.append(f"[{offset},{len(data)},{file.mode & 0o777},{cut[0]},{cut[1]}]")
            contents.append(data)
            offset += len(data)
        rows.append(
            f'{{"path":{_quoted(path)},"action":"{action(before, after)}","before":{spans[0]},"after":{spans[1]}}}'
        )
    if patch:
        _write_new(state, f"{receipt.id}.patch", [patch])
    fd = os.open(f"{receipt.id}.bytes", os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=state)
    _write_and_close(fd, contents)
    intro = (
        f'{{"version":{VERSION},"id":{_quoted(receipt.id)},"time":{receipt.time!r},"format":{_quoted(receipt.format)}'
    )
    intro += f',"description":{_quoted(receipt.description)},"dirs":[{",".join(map(_quoted, made))}]'
    text = intro + ',"files":[\n' + ",\n".join(rows) + "\n]}\n"
    _write_new(state, f"{receipt.id}.pending", [text.encode("ascii")])


def shared(one: bytes, two: bytes) -> tuple[int, int]:
    """How many bytes two texts begin and end with alike; the two runs don't overlap in either."""
    limit = min(len(one), len(two))
    head = _alike(limit, lambda start, end: one[start:end] == two[start:end])
    a, b = len(one), len(two)
    tail = _alike(limit - head, lambda start, end: one[a - end : a - start] == two[b - end : b - start])
    return head, tail


def _alike(limit: int, same: Callable[[int, int], bool]) -> int:
    """How far two runs are the same: block by block, then inside the block that differs."""
    done, size = 0, 1 << 16
    while size:
        while done + size <= limit and same(done, done + size):
            done += size
        size >>= 1
    return done


def action(before: File | None, after: File | None) -> str:
    """What is done to one path, as one word."""
    if before is None:
        return "create"
    return "delete" if after is None else "update"


def finish(state: int, name: str) -> None:
    """List the receipt: the tree is as it says."""
    os.rename(f"{name}.pending", f"{name}.json", src_dir_fd=state, dst_dir_fd=state)


def abandon(state: int, name: str) -> None:
    """Forget a receipt whose change did not happen. First the names that list it."""
    for suffix in ("json", "pending", "bytes", "patch"):
        remove(state, f"{name}.{suffix}")


def mark(state: int, name: str, *, undone: bool) -> None:
    """Note that a receipt was taken back, or that it was not."""
    if undone:
        _write_new(state, f"{name}.undone", [])
    else:
        remove(state, f"{name}.undone")


def remove(folder: int, name: str) -> None:
    """Unlink what may be there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def write_all(fd: int, data: bytes) -> None:
    """Every byte, however few the system takes at a time."""
    done = os.write(fd, data)
    while done < len(data):
        count = os.write(fd, memoryview(data)[done:])
        if not count:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        done += count


def _write_new(folder: int, name: str, contents: list[bytes]) -> None:
    """A whole file under a new name, or none."""
    fd = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        _write_and_close(fd, contents)
    except BaseException:
        remove(folder, name)
        raise


def _write_and_close(fd: int, contents: list[bytes]) -> None:
    try:
        for data in contents:
            write_all(fd, data)
    finally:
        os.close(fd)


def _quoted(text: str) -> str:
    """A JSON string. Loading json takes longer than the whole commit of a file, so plain text goes without."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    import json

    return json.dumps(text)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def receipts(state: int) -> tuple[Receipt, ...]:
    """What was done here, newest first; the files with their modes but without bytes. Skips what cannot be read."""
    if state < 0:
        return ()
    names = frozenset(os.listdir(state))
    found = []
    for name in _listed(names):
        try:
            found.append(_receipt(_manifest(state, name), name, f"{name}.undone" in names, None))
        except _UNREADABLE:
            continue
    return tuple(found)


def load(state: int, name: str) -> tuple[Receipt, tuple[str, ...]]:
    """One receipt with all its bytes, and the folders it made."""
    try:
        manifest = _manifest(state, name)
        contents = read_at(state, f"{name}.bytes", _MAX_BYTES)[0]
        made = tuple(folder for folder in manifest["dirs"] if isinstance(folder, str))
        return _receipt(manifest, name, undone=False, contents=contents), made
    except _UNREADABLE:
        raise Refused(Problem("no_receipt", f"the receipt {name} cannot be read")) from None


def _listed(names: frozenset[str]) -> list[str]:
    found = [name[:-5] for name in names if name.endswith(".json")]
    return sorted((name for name in found if len(name) == _ID_LENGTH and name.isascii()), reverse=True)


def _manifest(state: int, name: str) -> dict[str, Any]:
    import json

    manifest = json.loads(read_at(state, f"{name}.json", _MAX_MANIFEST)[0])
    if not isinstance(manifest, dict) or manifest["version"] != VERSION or manifest["id"] != name:
        raise ValueError(name)
    return manifest


def _receipt(manifest: dict[str, Any], name: str, undone: bool, contents: bytes | None) -> Receipt:
    changes = []
    for row in manifest["files"]:
        before = _file(row["before"], contents, b"")
        changes.append(
            FileChange(str(row["path"]), before, _file(row["after"], contents, before.data if before else b""))
        )
    told = float(manifest["time"]), str(manifest["format"]), str(manifest["description"])
    return Receipt(name, tuple(changes), *told, undone)


def _file(span: list[int] | None, contents: bytes | None, other: bytes) -> File | None:
    """The mode, and the bytes at (offset, length) between the ends shared with the `other` side.

    A span beyond the contents is a torn receipt.
    """
    if span is None:
        return None
    offset, length, mode, head, tail = (int(number) for number in span)
    if contents is None:
        return File(b"", mode & 0o777)
    if min(offset, length, head, tail) < 0 or offset + length > len(contents) or head + tail > len(other):
        raise ValueError("span")
    return File(other[:head] + contents[offset : offset + length] + other[len(other) - tail :], mode & 0o777)


def last_with(state: int, patch: bytes) -> str:
    """The id of the last receipt that stands, if it is of this very patch; else ""."""
    names = frozenset(os.listdir(state)) if state >= 0 else frozenset()
    last = next((name for name in _listed(names) if f"{name}.undone" not in names), "")
    if not last or f"{last}.patch" not in names:
        return ""
    if os.stat(f"{last}.patch", dir_fd=state, follow_symlinks=False).st_size != len(patch):
        return ""
    return last if read_at(state, f"{last}.patch", _MAX_BYTES)[0] == patch else ""


# ── housekeeping ─────────────────────────────────────────────────────────────────────────────────


def prune(state: int) -> None:
    """Keep the last receipts, by number and size. What cannot be removed now goes another time."""
    try:
        names = frozenset(os.listdir(state))
        total = 0
        for number, name in enumerate(_listed(names)):
            if f"{name}.bytes" in names:
                total += os.stat(f"{name}.bytes", dir_fd=state, follow_symlinks=False).st_size
            if number >= KEEP or (number and total > KEEP_BYTES):
                # The manifest first: a receipt without its bytes must not be listed.
                for part in sorted((n for n in names if n.startswith(name)), key=lambda n: n[-5:] != ".json"):
                    remove(state, part)
    except (OSError, KeyboardInterrupt):
        return


def close(state: int) -> None:
    """Done with the state directory. An interrupt now would only make a finished change look unfinished."""
    try:
        if state >= 0:
            quietly_close(state)
    except KeyboardInterrupt:
        return
