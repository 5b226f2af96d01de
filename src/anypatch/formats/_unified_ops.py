"""From the sections of a diff to operations: which file is meant, made, deleted, renamed. Pure; knows no tree."""

from __future__ import annotations

from ..errors import Problem
from ..model import TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Where, Write
from ..record import NamedTuple
from ..text import BOM
from ._line_ends import changed_end
from ._unified_hunks import Block
from ._unified_names import NOWHERE, agreed, clean, in_git_line, is_epoch
from ._unified_sections import Section

_MODES = {"100644": 0o644, "100664": 0o644, "100755": 0o755, "100775": 0o755}
_NO_FILES = {"120000": "a symbolic link", "160000": "a submodule"}


class Reading(NamedTuple):
    """What is known while a document is read: which rows end in CR, and where findings go."""

    crs: frozenset[int]
    problems: list[Problem]
    notes: list[Note]
    prefixed: bool = True


class Target(NamedTuple):
    """The file that a section means: `sort` is "create", "delete" or "edit"; `to` is its new name, "" without one."""

    sort: str
    path: str
    to: str = ""


def operations(section: Section, reading: Reading) -> list[Op]:
    """What a section does; nothing, with the problems told, where it can't be read."""
    if section.trouble is not None:
        path = _path_of(section)
        reading.problems.append(section.trouble._replace(path=path))
        return []
    count = len(reading.problems)
    target = _target(section, reading)
    mode = _mode(section, reading)
    if target is None or len(reading.problems) > count:
        return []
    if target.sort == "create":
        return _create(section, target.path, mode, reading)
    if target.sort == "delete":
        return _delete(section, target.path, reading)
    return _edit(section, target, mode, reading)


def edit_more(path: str, blocks: tuple[Block, ...], reading: Reading) -> list[Op]:
    """Hunks that stand apart from the header of their file."""
    hunks = tuple(_hunks(blocks, path, reading))
    return [Edit(path, hunks, blocks[0].row + 1)] if hunks else []


def is_prefixed(sections: list[Section]) -> bool:
    """Whether names in this document begin with `a/` and `b/`: if any pair shows it, or none shows otherwise."""
    seen = []
    for section in sections:
        old, new = clean(section.old or ""), clean(section.new or "")
        if old and new and NOWHERE not in (old, new):
            seen.append(old.startswith("a/") and new == "b/" + old[2:])
    return any(seen) or not seen


# ── which file ───────────────────────────────────────────────────────────────────────────────────


def _path_of(section: Section) -> str:
    """The path for a message, where nothing more is asked."""
    old, new = in_git_line(section.git) if section.git is not None else ("", "")
    return agreed(old, new)


def _target(section: Section, reading: Reading) -> Target | None:
    git = in_git_line(section.git) if section.git is not None else ("", "")
    old, new = clean(section.old or ""), clean(section.new or "")
    marks = section.marks
    if "copy from" in marks or "copy to" in marks:
        detail = f"{clean(marks.get('copy to', ''))} would be a copy of {clean(marks.get('copy from', ''))}"
        advice = "Copies are not made; write the new file with all its lines, as a diff against /dev/null."
        return _untold(reading, section.row, detail, advice)
    if "rename from" in marks or "rename to" in marks:
        return _renamed(section, git, reading)
    if old == NOWHERE == new:
        return _untold(reading, section.row, "both names are /dev/null", "Name the file that is made or deleted.")
    if old == NOWHERE or "new file mode" in marks or _epoch_side(section) == "old":
        return _one_sided("create", git, (old, new), section, reading)
    if new == NOWHERE or "deleted file mode" in marks or _epoch_side(section) == "new":
        return _one_sided("delete", git, (new, old), section, reading)
    return _two_sided(section, git, (old, new), reading)


def _epoch_side(section: Section) -> str:
    """The side that the time stamps and the numbers say isn't there."""
    numbers = section.blocks[0].numbers if len(section.blocks) == 1 else None
    if numbers is None:
        return ""
    if section.old is not None and numbers.old == 0 == numbers.line and is_epoch(section.old):
        return "old"
    return "new" if section.new is not None and numbers.new == 0 and is_epoch(section.new) else ""


def _renamed(section: Section, git: tuple[str, str], reading: Reading) -> Target | None:
    old, new = (clean(section.marks.get(word, "")) for word in ("rename from", "rename to"))
    if not old or not new:
        advice = "Write both lines, `rename from OLD` and `rename to NEW`."
        return _untold(reading, section.row, "a renaming names only one file", advice)
    if (old, new) == git and old.startswith("a/") and new.startswith("b/"):
        old, new = old[2:], new[2:]
    return Target("edit", old, new if new != old else "")


def _one_sided(
    sort: str, git: tuple[str, str], names: tuple[str, str], section: Section, reading: Reading
) -> Target | None:
    """The file that is made or deleted: the second of the names, if it is one; else what both, or git's line, say."""
    other, name = names
    named = agreed(*git)
    both = agreed(*(names if sort == "create" else names[::-1])) if NOWHERE not in names and all(names) else ""
    prefix = "b/" if sort == "create" else "a/"
    name = both or (name if name not in ("", NOWHERE) else other.removeprefix(NOWHERE))
    if named and name in ("", named, "a/" + named, "b/" + named):
        return Target(sort, named)
    if not both and not named and reading.prefixed and name.startswith(prefix) and len(name) > 2:
        name = name[2:]
    return _disagreeing(section, named, name, reading) if named or not name else Target(sort, name)


def _two_sided(section: Section, git: tuple[str, str], names: tuple[str, str], reading: Reading) -> Target | None:
    old, new = names
    named = agreed(*git)
    if not old and not new:
        return Target("edit", named) if named else _disagreeing(section, named, "", reading)
    meant = agreed(old, new) if old and new else _alone(old, new)
    if named and meant != named and not (named in (old, new) and meant):
        return _disagreeing(section, named, meant or new, reading)
    if not meant:
        meant = new[2:] if old.startswith("a/") and new.startswith("b/") else new
        text = f"the names {old} and {new} differ; the second is taken. A renaming needs `rename from` and `rename to`"
        reading.notes.append(Note(text, meant, section.row + 1))
    return Target("edit", named or meant)


def _alone(old: str, new: str) -> str:
    """The path where only one of the two names stands there."""
    name, prefix = (new, "b/") if new else (old, "a/")
    return name[2:] if name.startswith(prefix) and len(name) > 2 else name


def _disagreeing(section: Section, named: str, meant: str, reading: Reading) -> Target | None:
    if not named or not meant:
        advice = "Name the file in lines `--- a/PATH` and `+++ b/PATH`."
        return _untold(reading, section.row, "the file's name can't be read", advice)
    detail = f"`diff --git` names {named}, but the lines below name {meant}"
    return _untold(reading, section.row, detail, "Name one file in all header lines.", named)


def _mode(section: Section, reading: Reading) -> int:
    """The permissions that are asked for, 0 where they stay; what is no regular file is refused by its name."""
    asked = 0
    if not section.marks:
        return asked
    for word in ("index", "old mode", "deleted file mode", "new mode", "new file mode"):
        said = section.marks.get(word, "").rpartition(" ")[2] if word == "index" else section.marks.get(word, "")
        if word not in section.marks or (word == "index" and " " not in section.marks[word]):
            continue
        if said in _NO_FILES:
            advice = "Only regular files are edited; make or change it by hand."
            _bad(reading, section.row, f"the section is about {_NO_FILES[said]} (mode {said})", advice)
        elif said not in _MODES:
            advice = "The modes of files are 100644 and 100755."
            _bad(reading, section.row, f"`{word} {said[:40]}` is no mode of a file", advice)
        elif word in ("new mode", "new file mode"):
            asked = _MODES[said]
    return asked


# ── what is done ─────────────────────────────────────────────────────────────────────────────────


def _create(section: Section, path: str, mode: int, reading: Reading) -> list[Op]:
    """A new file. A CR that the header lines don't have belongs to the text."""
    own_crs = frozenset() if section.row in reading.crs else reading.crs
    parts: list[str] = []
    for block in section.blocks:
        for (tag, text), row in zip(block.tagged, block.rows, strict=True):
            if tag == "-" or (tag == " " and text.strip()):
                advice = "Begin every line of a new file with `+`."
                _bad(reading, row, f"`{text.strip()[:60]}` is no new line, but {path} is a new file", advice, path)
                return []
            parts.append(text + "\r\n" if row in own_crs else text + "\n")
    if section.blocks and "+" in section.blocks[-1].bare and parts:
        parts[-1] = parts[-1][:-1]
    # 0o644 is what a new file has anyway, or what the user's mask makes of it.
    return [Write(path, "".join(parts), False, section.row + 1, mode=mode if mode == 0o755 else 0)]


def _delete(section: Section, path: str, reading: Reading) -> list[Op]:
    for block in section.blocks:
        for (tag, text), row in zip(block.tagged, block.rows, strict=True):
            if tag == "+":
                advice = "Leave it out, or name the file instead of /dev/null."
                _bad(reading, row, f"`{text.strip()[:60]}` would be added to {path}, which is deleted", advice, path)
                return []
    old = tuple(text for block in section.blocks for _, text in block.tagged)
    if old and old[0].startswith(BOM):
        old = (old[0][1:], *old[1:])
    return [Delete(path, section.row + 1, old=old, whole=bool(old))]


def _edit(section: Section, target: Target, mode: int, reading: Reading) -> list[Op]:
    hunks = tuple(_hunks(section.blocks, target.path, reading))
    ops: list[Op] = []
    if hunks or mode:
        ops.append(Edit(target.path, hunks, section.row + 1, mode=mode))
    if target.to:
        ops.append(Move(target.path, target.to, patch_line=section.row + 1))
    if not ops and not section.blocks:
        reading.notes.append(Note("the section holds no change", target.path, section.row + 1))
    return ops


def _hunks(blocks: tuple[Block, ...], path: str, reading: Reading) -> list[Hunk]:
    found = []
    for block in blocks:
        if not block.tagged and block.numbers is not None and block.numbers.old + block.numbers.new:
            _bad(reading, block.row, "there are no lines below the hunk's header", "Write the hunk's lines.", path)
        elif all(tag == " " for tag, _ in block.tagged):
            reading.notes.append(Note("the hunk changes nothing", path, block.row + 1))
        else:
            _compare(block, path, reading)
            if reading.crs:
                rows = zip(block.tagged, block.rows, strict=True)
                changed = changed_end(((*line, row in reading.crs) for line, row in rows), path, block.row + 1)
                reading.problems.extend([changed] if changed else ())
            found.append(_hunk(block, path, reading))
    return found


def _compare(block: Block, path: str, reading: Reading) -> None:
    """Note what the patch claims in vain: counts that are wrong, line ends that differ among its lines."""
    ends = {row in reading.crs for row in block.rows} if reading.crs else ()
    if len(ends) > 1 and block.row not in reading.crs:
        text = "some lines of the hunk end in CR; lines that stay or are replaced keep the file's line ends"
        reading.notes.append(Note(text, path, block.row + 1))
    if block.numbers is None or block.counts == block.numbers[1:]:
        return
    said, there = (f"{old} old and {new} new lines" for old, new in (block.numbers[1:], block.counts))
    reading.notes.append(Note(f"the hunk's header counts {said}; there are {there}", path, block.row + 1))


def _hunk(block: Block, path: str, reading: Reading) -> Hunk:
    tagged = _without_bom(block, path, reading)
    final = {"-": "made", "+": "lost"}.get(block.bare, "")
    line, last = _lines_claimed(block)
    where = Where(line, last, at_end=bool(block.bare) or block.cut, final=final, heading=block.heading)
    texts = dict(zip(block.rows, block.tagged, strict=True)) if block.naked else {}
    doubts = tuple(
        Problem(
            "bad_patch",
            f"`{texts[row][1].strip()[:60]}` begins with neither a space nor `-` nor `+`",
            path,
            row + 1,
            advice="Begin every line of a hunk that stays with one space more than it has in the file.",
        )
        for row in block.naked
    )
    if block.cut:
        detail = "the diff is cut off: its last hunk has fewer lines than it says, and the file goes on behind them"
        doubts += (Problem("truncated", detail, path, block.row + 1),)
    return Hunk(tagged, where, TOLERANT, block.row + 1, doubts)


def _lines_claimed(block: Block) -> tuple[int, int]:
    """The old lines that the header names. Without old lines only a count of none makes the number a place."""
    if block.numbers is None:
        return 0, 0
    line, said_old, _ = block.numbers
    old, _ = block.counts
    if old:
        return (line, line + old - 1) if line else (0, 0)
    return (line + 1, line) if said_old == 0 else (0, 0)


def _without_bom(block: Block, path: str, reading: Reading) -> tuple[tuple[str, str], ...]:
    """The lines without the byte order mark that a file's first line may be shown with; the file keeps its own."""
    if block.numbers is not None and block.numbers.line > 1:
        return block.tagged
    marked = {tag for tag, text in block.tagged if text[:1] == BOM}
    if not marked:
        return block.tagged
    if len(marked) == 1 and marked != {" "}:
        reading.notes.append(Note("the byte order mark of the file stays as it is", path, block.row + 1))
    return tuple((tag, text.removeprefix(BOM)) for tag, text in block.tagged)


def _untold(reading: Reading, row: int, detail: str, advice: str, path: str = "") -> Target | None:
    """No target, and the reason for it."""
    _bad(reading, row, detail, advice, path)
    return None


def _bad(reading: Reading, row: int, detail: str, advice: str, path: str = "") -> None:
    reading.problems.append(Problem("bad_patch", detail, path, row + 1, advice=advice))
