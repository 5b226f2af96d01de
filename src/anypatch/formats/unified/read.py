"""The file names of a diff: quoting, time stamps, prefixes. Pure; knows no tree, so it can't look what is there."""

from __future__ import annotations

import re
from functools import lru_cache

from ...model import TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...parsing.outline import is_bare_hunk
from ...parsing.repeats import said_once
from ...problems import Problem
from ...record import NamedTuple
from ...text import BLANK, BOM, changed_end, decode, encode, patch_lines, rows_with_cr

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


NOWHERE = "/dev/null"
# The first part of a name, on the old and on the new side, that tools and people write for "before" and "after".
_OLD_SIDES = ("a", "c", "i", "o", "1", "old", "orig", "original", "before", "left")
_NEW_SIDES = ("b", "i", "w", "2", "new", "modified", "after", "patched", "updated", "edited", "fixed", "right")
_COPIES = (".orig", ".original", ".old", ".bak", ".new", ".modified", "~")
_STAMP = r"[ \t][0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}.*"
_REMARK = r" \((?:revision [0-9]+|working copy|nonexistent|original|modified|updated|old|new|before|after)\)"
_EPOCHS = (r"1970-01-01[ T]", r"1969-12-31[ T]")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_SPELLINGS = {code: "\\" + letter for letter, code in _ESCAPES.items()}


@lru_cache(maxsize=256)
def clean(said: str) -> str:
    """The name in a header line, without quotes, time stamp and remarks."""
    said = said.strip(BLANK)
    if said[:1] == '"':
        name, rest = _unquoted(said)
        if name and rest[:1] in ("", "\t", " "):
            return name
    name = _before_tab(said)
    stamp = re.search(_STAMP, name) if "-" in name else None
    name = name[: stamp.start()] if stamp else name
    remark = re.search(_REMARK, name) if name.endswith(")") else None
    name = (name[: remark.start()] if remark and remark.end() == len(name) else name).strip(BLANK)
    if len(name) > 2 and name[0] == name[-1] == "`":
        name = name[1:-1]
    return NOWHERE if name in ("dev/null", "a/dev/null", "b/dev/null") else name


def _before_tab(said: str) -> str:
    """What stands before the tab that ends a name. Part of a name is what ends in a suffix: `post<TAB>image.txt`."""
    name, *rest = said.split("\t")
    while rest and re.fullmatch(r"[^:()]*\.[A-Za-z]\w{0,9}", rest[0]):
        name += "\t" + rest.pop(0)
    return name


def is_epoch(said: str) -> bool:
    """Whether the time stamp of a header line is the one that `diff -N` gives a file that isn't there."""
    return any(re.search(r"[ \t]" + epoch, said) for epoch in _EPOCHS)


def agreed(old: str, new: str) -> str:
    """The path that both names mean, "" where they mean different ones."""
    if old == new:
        return new
    old_side, _, old_rest = old.partition("/")
    new_side, _, new_rest = new.partition("/")
    if old_rest and old_rest == new_rest and _are_sides(old_side, new_side):
        return new_rest
    if old == f"a/{new}":
        return new
    if new == f"b/{old}":
        return old
    if old_side == "a" and new_side == "b":
        old, new = old_rest, new_rest
    if old and new and old.removeprefix(new) in _COPIES:
        return new
    return old if old and new and new.removeprefix(old) in _COPIES else ""


def _are_sides(old: str, new: str) -> bool:
    """Whether the first parts of two names mean before and after: `a` and `b`, `thing.orig` and `thing`."""
    if old.lower() in _OLD_SIDES and new.lower() in _NEW_SIDES:
        return True
    return bool(old and new) and (old.removeprefix(new) in _COPIES or new.removeprefix(old) in _COPIES)


def in_git_line(said: str) -> tuple[str, str]:
    """The two names behind `diff --git`; ("", "") where they can't be told apart."""
    said = said.strip(BLANK)
    if '"' in said:
        return _with_quotes(said)
    half = len(said) // 2
    if said[half : half + 1] == " ":
        old, new = said[:half], said[half + 1 :]
        if agreed(old, new):
            return old, new
    at = said.rfind(" b/")
    if at > 0:
        return said[:at], said[at + 1 :]
    parts = said.split(" ")
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def _with_quotes(said: str) -> tuple[str, str]:
    """Names of which one or both are quoted."""
    if said[0] == '"':
        old, rest = _unquoted(said)
        rest = rest.strip(BLANK)
        return old, _unquoted(rest)[0] if rest[:1] == '"' else rest
    at = said.find(' "')
    return (said[:at], _unquoted(said[at + 1 :])[0]) if at > 0 else ("", "")


def _unquoted(said: str) -> tuple[str, str]:
    """A C string at the beginning of a text, and what stands behind it; ("", text) where it never ends."""
    data = bytearray()
    token = re.compile(r'([^"\\]+)|\\([0-3][0-7]{2})|\\([abtnvfr"\\])|\\')
    at = 1
    while (found := token.match(said, at)) is not None:
        plain, octal, letter = found.groups()
        data += encode(plain) if plain else bytes([int(octal, 8) if octal else _ESCAPES.get(letter or "", 92)])
        at = found.end()
    return (decode(bytes(data)), said[at + 1 :]) if said[at : at + 1] == '"' else ("", said)


def written(name: str) -> str:
    """A name as a header line holds it: quoted where it would be read as something else."""
    plain = name.isprintable() and '"' not in name and "\\" not in name
    if plain and clean(name) == name and clean(f"{name}\t") == name:
        return name
    parts = []
    for byte in encode(name):
        known = _SPELLINGS.get(byte)
        parts.append(known or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"))
    return '"' + "".join(parts) + '"'


# ── unified hunks ───────────────────────────────────────────────────────────────────────────────────


_HEADER = r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])"
_SIGNED = ("*** Begin Patch", "*** End Patch", "*** Update File:", "*** Add File:", "*** Delete File:")
_TAGS = ("+", "-", " ")
_ALL_TAGS = frozenset(_TAGS)
_UNENDED = ("\\ ", "\\No newline")
_header: list[re.Pattern[str]] = []


class Region(NamedTuple):
    """Lines of an answer in which a diff stands, up to row `end`: a fence (closed or not), or the text itself."""

    lines: list[str]
    end: int
    fenced: bool
    closed: bool = True

    def starts(self, row: int, *marks: str) -> bool:
        """Whether the line at a row begins with one of these."""
        return row < self.end and self.lines[row].startswith(marks)


class Numbers(NamedTuple):
    """What a hunk header claims: the first old line, and how many lines there are of each side."""

    line: int
    old: int
    new: int


class Block(NamedTuple):
    """A hunk as it stands: its first row, its tagged lines with their rows, the row behind it.

    `bare`: the sides ("-", "+") whose last line has no line end. `naked`: rows of lines without any tag.
    `cut`: the text ends here before the hunk should, unless the file does too. `heading`: what the header says behind
    its numbers.
    """

    row: int
    numbers: Numbers | None
    tagged: tuple[tuple[str, str], ...]
    rows: tuple[int, ...]
    bare: str
    naked: tuple[int, ...]
    end: int
    cut: bool = False
    heading: str = ""

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines there really are of each side."""
        tags = [tag for tag, _ in self.tagged]
        return len(tags) - tags.count("+"), len(tags) - tags.count("-")

    @property
    def is_short(self) -> bool:
        """Whether there are fewer lines than the header counts, on both sides that have any; or it counts none."""
        if self.numbers is None:
            return True
        old, new = self.counts
        _, said_old, said_new = self.numbers
        return (old < said_old or not said_old) and (new < said_new or not said_new) and said_old + said_new > 0


def read_hunk(region: Region, row: int) -> Block:
    """The hunk whose header stands at a row; without a header, its first line does."""
    headed = region.starts(row, "@@")
    numbers = numbers_in(region.lines[row]) if headed else None
    first = row + headed
    end = _end_by_counts(region, first, numbers) if numbers is not None else -1
    block = _block(region, row, first, numbers, end if end >= 0 else _end_by_shape(region, first, numbers))
    said = region.lines[row].split("@@", 2) if numbers is not None else []
    return block._replace(heading=said[2].strip()) if len(said) > 2 else block


def numbers_in(header: str) -> Numbers | None:
    """The numbers of a hunk header; None where there are none that make sense."""
    if not _header:
        _header.append(re.compile(_HEADER))
    found = _header[0].match(header)
    if found is None:
        return None
    line, old, new = found.groups()
    return Numbers(int(line), int(old or 1), int(new or 1))


def is_file_header(region: Region, row: int) -> bool:
    """Whether `---` and `+++` lines at a row name a file, rather than being lines that a hunk takes out and puts in."""
    if not region.starts(row, "--- ") or not region.starts(row + 1, "+++ "):
        return False
    if region.starts(row + 2, "@@"):
        return True
    old, new = clean(region.lines[row][4:]), clean(region.lines[row + 1][4:])
    return NOWHERE in (old, new) or bool(agreed(old, new))


# ── how far a hunk goes ──────────────────────────────────────────────────────────────────────────


def _end_by_counts(region: Region, row: int, numbers: Numbers) -> int:
    """The row behind the hunk if its header counts right, else -1."""
    _, old, new = numbers
    lines, end = region.lines, region.end
    while (old > 0 or new > 0) and row < end:
        line = lines[row]
        tag = line[:1]
        if tag == " ":
            old, new = old - 1, new - 1
        elif tag == "+":
            new -= 1
        elif tag == "-":
            old -= 1
        elif line.startswith(("@@", "diff --git ")):
            return -1
        elif tag != "\\" or not line.startswith(_UNENDED):
            old, new = old - 1, new - 1
        row += 1
    if old or new:
        return -1
    row += region.starts(row, *_UNENDED)
    return row if _is_over(region, row) else -1


def _is_over(region: Region, row: int) -> bool:
    """Whether nothing that could belong to a hunk stands there; blank lines are passed over."""
    while row < region.end and not region.lines[row]:
        row += 1
    if row == region.end or _is_border(region, row):
        return True
    return not region.fenced and not region.starts(row, *_UNENDED, *_TAGS)


def _end_by_shape(region: Region, row: int, numbers: Numbers | None) -> int:
    """The row behind the last line that can belong to the hunk. In a fence, lines without a tag do."""
    old, new = (numbers.old, numbers.new) if numbers is not None else (0, 0)
    while row < region.end and not _is_border(region, row):
        line = region.lines[row]
        if line and not line.startswith((*_UNENDED, *_TAGS)) and not region.fenced and not (old > 0 and new > 0):
            behind = _behind_naked(region, row)
            if not region.starts(behind, "+", "-") or _is_border(region, behind):
                break
            row = behind
            continue
        old -= not line.startswith(("+", *_UNENDED))
        new -= not line.startswith(("-", *_UNENDED))
        row += 1
    return row


def _behind_naked(region: Region, row: int) -> int:
    while row < region.end and region.lines[row] and not region.starts(row, *_UNENDED, *_TAGS):
        if _is_border(region, row):
            break
        row += 1
    return row


def _is_border(region: Region, row: int) -> bool:
    """Whether a line can't belong to a hunk because something else begins there."""
    line = region.lines[row]
    first = line[:1]
    if first == "-":
        return is_file_header(region, row) or _is_signature(region, row)
    if first == "@":
        return line.startswith("@@")
    if first == "d":
        return line.startswith(("diff --git ", "diff --cc ", "diff --combined ", "diff -"))
    if first == "I":
        return line.startswith("Index: ") and region.starts(row + 1, "=====")
    if first == "*":
        return line.startswith(_SIGNED)
    return not region.fenced and line.startswith("```")


def _is_signature(region: Region, row: int) -> bool:
    """`-- ` and a version number: how mails that git writes end."""
    if region.lines[row].rstrip() != "--" or not region.starts(row + 1, *"0123456789"):
        return False
    version = region.lines[row + 1].strip()
    return "." in version and not version.strip("0123456789.abcdefghijklmnopqrstuvwxyz-() ABCDEFGHIJKLMNOPQRSTUVWXYZ")


# ── what its lines are ───────────────────────────────────────────────────────────────────────────


def _block(region: Region, row: int, first: int, numbers: Numbers | None, end: int) -> Block:
    last = end
    while last > first and not region.lines[last - 1]:
        last -= 1  # blank lines behind a hunk are not of it
    lines = region.lines[first:last]
    if {line[:1] for line in lines} <= _ALL_TAGS:  # as below, by a shorter way
        plain = tuple([(line[0], line[1:]) for line in lines])
        return Block(row, numbers, plain, tuple(range(first, last)), "", (), end)
    tagged: list[tuple[str, str]] = []
    rows: list[int] = []
    naked: list[int] = []
    bare: dict[str, int] = {}
    for at, line in enumerate(lines, first):
        tag = line[:1]
        if tag == "\\" and line.startswith(_UNENDED):
            if tagged:
                bare[tagged[-1][0]] = len(tagged)
            continue
        if tag in _TAGS:
            tagged.append((tag, line[1:]))
        else:
            tagged.append((" ", line))
            naked += [at] if line else []
        rows.append(at)
    sides = _bare_sides(tagged, bare) if bare else ""
    return Block(row, numbers, tuple(tagged), tuple(rows), sides, tuple(naked), end)


def _bare_sides(tagged: list[tuple[str, str]], bare: dict[str, int]) -> str:
    """The sides that end in a line marked as having no line end; a mark in the middle of a side means nothing."""
    tags = [tag for tag, _ in tagged]
    sides = ""
    for side, other in (("-", "+"), ("+", "-")):
        last = max((number for number, tag in enumerate(tags, 1) if tag != other), default=0)
        if last and last in (bare.get(side), bare.get(" ")):
            sides += side
    return sides


# ── unified sections ────────────────────────────────────────────────────────────────────────────────


_MARKS = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ", "rename old ",
    "rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip
_COMBINED = ("diff --cc ", "diff --combined ", "@@@")
_HUNK_LEADS = ("-", "+", " ", "")
_STARS = "***************"
_ED = r"[0-9]{1,9}(?:,[0-9]{1,9})?(?:[acdijmrstw]|![^\n]*)"
_NORMAL = r"[0-9]{1,9}(?:,[0-9]{1,9})?[acd][0-9]{1,9}(?:,[0-9]{1,9})?"
_ASK = "Write a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."


class Section(NamedTuple):
    """What is said about one file. `git`, `old`, `new`: header lines without their first word, None where missing.

    `marks`: the lines between `diff --git` and `---`, by their words. `trouble`: why it can't be read at all.
    """

    row: int
    git: str | None
    old: str | None
    new: str | None
    marks: dict[str, str]
    blocks: tuple[Block, ...]
    trouble: Problem | None
    end: int

    @property
    def is_gits(self) -> bool:
        """Whether git itself wrote it: it names both blobs, and every hunk has as many lines as its header counts."""
        blobs = re.match(r"[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: |$)", self.marks.get("index", ""))
        counted = all(block.numbers is not None and block.counts == block.numbers[1:] for block in self.blocks)
        return self.git is not None and (blobs is not None or not self.blocks) and counted


def begins(region: Region, row: int) -> bool:
    """Whether a section begins at a row."""
    first = region.lines[row][:1]
    if first == "-":
        return region.starts(row, "--- ") and region.starts(row + 1, "+++ ", "@@")
    if first == "+":
        return region.starts(row, "+++ ") and region.starts(row + 1, "@@")
    if first == "*":
        return region.starts(row, "*** ") and region.starts(row + 1, "--- ") and region.starts(row + 2, _STARS)
    if first == "d":
        return region.starts(row, "diff --git ", "diff --cc ", "diff --combined ")
    if first == "B":
        return region.starts(row, "Binary files ") and region.lines[row].rstrip().endswith(" differ")
    return region.starts(row, "GIT binary patch")


def read_section(region: Region, row: int) -> Section:
    """The section that begins at a row."""
    start, git = row, None
    marks: dict[str, str] = {}
    if region.starts(row, "diff --git "):
        git, row = region.lines[row][11:], row + 1
        row, marks = _marks(region, row)
    trouble = _unreadable(region, row)
    if trouble is not None:
        return Section(start, git, None, None, marks, (), trouble, _behind_trouble(region, row))
    old, new, row = _names(region, row)
    blocks, row = _blocks(region, row, old is not None or new is not None)
    trouble = _unreadable(region, _behind_blanks(region, row)) if not blocks else None
    return Section(start, git, old, new, marks, blocks, trouble, max(row, start + 1))


def stray_script(lines: list[str]) -> Problem | None:
    """The problem with a text that holds no section but commands for an editor, or a diff without file names."""
    dot = next((row for row in range(len(lines) - 1, -1, -1) if lines[row] == "."), -1)
    for row, line in enumerate(lines):
        if line[:1].isdecimal() and len(line) < 80:
            below = lines[row + 1] if row + 1 < len(lines) else ""
            if re.fullmatch(_NORMAL, line) and below[:2] in ("< ", "> ", "<", ">"):
                return _bad(row, "this is a plain diff without context, which names neither file nor place", _ASK)
            if re.fullmatch(_ED, line) and (row < dot or line[-1] == "d"):
                return _bad(row, "this is an ed script; such scripts are never run", _ASK)
    return None


def _marks(region: Region, row: int) -> tuple[int, dict[str, str]]:
    marks: dict[str, str] = {}
    while row < region.end:
        line = region.lines[row]
        mark = next((mark for mark in _MARKS if line.startswith(mark)), None)
        if mark is None:
            break
        word = mark.strip().replace("rename old", "rename from").replace("rename new", "rename to")
        marks.setdefault(word, line[len(mark) :].strip())
        row += 1
    return row, marks


def _names(region: Region, row: int) -> tuple[str | None, str | None, int]:
    behind = _behind_blanks(region, row)
    row = behind if region.starts(behind, "--- ", "+++ ", "@@") else row
    old = new = None
    if region.starts(row, "--- "):
        old, row = region.lines[row][4:], row + 1
    if region.starts(row, "+++ "):
        new, row = region.lines[row][4:], row + 1
    return old, new, row


def _blocks(region: Region, row: int, named: bool) -> tuple[tuple[Block, ...], int]:
    """The hunks from a row on. The first one may lack its header, where file names stand right above it."""
    blocks: list[Block] = []
    while True:
        at = _behind_blanks(region, row)
        lead = region.lines[at][:3] if at < region.end else ""
        headed = lead[:2] == "@@" and lead != "@@@"
        if not headed and (blocks or not named or not _is_headless(region, at)):
            return tuple(blocks), row
        block = read_hunk(region, at)
        if block.end <= at:
            return tuple(blocks), row
        blocks.append(block)
        row = block.end


def _is_headless(region: Region, row: int) -> bool:
    if row >= region.end or begins(region, row) or _unreadable(region, row) is not None:
        return False
    return region.fenced or region.starts(row, "+", "-", " ")


def _unreadable(region: Region, row: int) -> Problem | None:
    """Why what stands at a row is no unified diff, if it is something else that has a name."""
    if row >= region.end:
        return None
    line = region.lines[row]
    if line[:1] in _HUNK_LEADS:
        return None
    if line.startswith("GIT binary patch") or (line.startswith("Binary files ") and " differ" in line):
        return _bad(row, "binary patches can't be applied", "Leave the binary file out, and put it in place by hand.")
    if line.startswith(_COMBINED):
        return _bad(row, "this is a combined diff, of a merge", "Write a diff against one version: `git diff HEAD^`.")
    if (line.startswith("*** ") and region.starts(row + 1, "--- ")) or line.startswith(_STARS):
        return _bad(row, "this is a context diff", _ASK)
    if line[:1].isdecimal() and len(line) < 80:
        if re.fullmatch(_NORMAL, line):
            return _bad(row, "this is a plain diff without context", _ASK)
        if re.fullmatch(_ED, line):
            return _bad(row, "this is an ed script; such scripts are never run", _ASK)
    return None


def _behind_trouble(region: Region, row: int) -> int:
    """Where the next section begins: what can't be read is passed over as a whole, with its own `---` lines."""
    inner = ("---", "+++") if region.starts(row, "*** ", _STARS, *_COMBINED) else ()
    row += 1
    while row < region.end and not (begins(region, row) and not (inner and region.starts(row, *inner))):
        row += 1
    return row


def _behind_blanks(region: Region, row: int) -> int:
    while row < region.end and not region.lines[row].strip():
        row += 1
    return row


def _bad(row: int, detail: str, advice: str) -> Problem:
    return Problem("bad_patch", detail, patch_line=row + 1, advice=advice)


# ── unified ops ─────────────────────────────────────────────────────────────────────────────────────


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
            _bad_section(reading, section.row, f"the section is about {_NO_FILES[said]} (mode {said})", advice)
        elif said not in _MODES:
            advice = "The modes of files are 100644 and 100755."
            _bad_section(reading, section.row, f"`{word} {said[:40]}` is no mode of a file", advice)
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
                _bad_section(
                    reading, row, f"`{text.strip()[:60]}` is no new line, but {path} is a new file", advice, path
                )
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
                _bad_section(
                    reading, row, f"`{text.strip()[:60]}` would be added to {path}, which is deleted", advice, path
                )
                return []
    old = tuple(text for block in section.blocks for _, text in block.tagged)
    if old and old[0].startswith(BOM):
        old = (old[0][1:], *old[1:])
    unended = bool(section.blocks) and section.blocks[-1].bare != ""
    return [Delete(path, section.row + 1, old=old, whole=bool(old), unended=unended)]


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
            _bad_section(
                reading, block.row, "there are no lines below the hunk's header", "Write the hunk's lines.", path
            )
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
    _bad_section(reading, row, detail, advice, path)
    return None


def _bad_section(reading: Reading, row: int, detail: str, advice: str, path: str = "") -> None:
    reading.problems.append(Problem("bad_patch", detail, path, row + 1, advice=advice))


# ── unified ─────────────────────────────────────────────────────────────────────────────────────────


# Each line behind a line end: what begins with one sign is searched for much faster.
_PAIR = r"\n--- [^\n]*\n(?:\+\+\+ |@@)"
_INDENTED_PAIR = r"\n[ \t]+--- [^\n]*\n[ \t]+\+\+\+ "
_CONTEXT = 3  # lines, as diffs usually have them
_SCRIPT = r"(?m)\n[0-9]{1,9}(?:,[0-9]{1,9})?(?:[ac]\r?$|[acd][0-9,]{1,19}\r?\n[<>] )"


def parse(text: str) -> Patch:
    """What the diffs in a text say."""
    lines = patch_lines(text)
    reading = Reading(rows_with_cr(text), [], [])
    found = _parts(lines, reading) or _parts(_dedented(lines), reading)
    ops = _operations(found, reading)
    if not found and not reading.problems:
        reading.problems.append(stray_script(lines) or _nothing())
    ops = said_once(ops, reading.notes)
    literal = bool(found) and all(isinstance(part, Section) and part.is_gits for part in found)
    return Patch("unified", tuple(ops), "", tuple(reading.problems), tuple(reading.notes), literal=literal)


def sniff(text: str) -> int:
    """How much a text looks like a unified diff."""
    text = f"\n{text}"
    if "*** Begin Patch" in text or "*** Update File:" in text:
        return 20 if re.search(_PAIR, text) else 0
    if ("--- " in text and re.search(_PAIR, text)) or "\ndiff --git " in text:
        return 95 if "@@" in text or "diff --git " in text else 80
    if text.find("\n***************", 1) > 0 or "\ndiff --cc " in text or text.startswith("\nBinary files "):
        return 60
    if "+++ " in text and (text.find("\n@@ -", 1) > 0 or re.search(_INDENTED_PAIR, text)):
        return 55
    if re.search(_SCRIPT, text):
        return 40
    if re.search(r"\n@@ -[0-9]", text):
        return 45
    return 35 if re.search(r"\n@@(?: [^\n]{0,200}@@)?[ \t]*\r?\n[+-]", text) else 0


# ── the parts of an answer ───────────────────────────────────────────────────────────────────────


def _parts(lines: list[str], reading: Reading) -> list[Section | Block]:
    """All sections, in fences and outside, and hunks that stand alone."""
    found: list[Section | Block] = []
    row, whole = 0, Region(lines, len(lines), False)
    while row < len(lines):
        fence = _fence(lines[row])
        if fence:
            end = _closing(lines, row, fence)
            region = Region(lines, end, True, end < len(lines))
            _scan(region, row + 1, found)
            _check_end(region, row, found, reading)
            row = end + 1
        else:
            row = _step(whole, row, found)
    _check_last(lines, found, reading)
    _check_torn(lines, found, reading)
    return found


def _scan(region: Region, row: int, found: list[Section | Block]) -> None:
    while row < region.end:
        row = _step(region, row, found)


def _step(region: Region, row: int, found: list[Section | Block]) -> int:
    """Read what begins at a row, if something does; the row behind it."""
    line = region.lines[row]
    if line[:1] in ("-", "+", "*", "d", "B", "G") and begins(region, row):
        section = read_section(region, row)
        found.append(section)
        return section.end
    below = region.lines[row + 1] if row + 1 < region.end else ""
    if line.startswith("@@") and (numbers_in(line) is not None or is_bare_hunk(line, below)):
        block = read_hunk(region, row)
        found.append(block)
        return max(block.end, row + 1)
    return row + 1


def _check_end(region: Region, opened: int, found: list[Section | Block], reading: Reading) -> None:
    """A fence that never closes is where an answer was cut off, unless the last hunk is as long as it says."""
    if region.closed or not found or found[-1].row <= opened:
        return
    last = found[-1]
    if isinstance(last, Section):
        if last.trouble is not None or (not last.blocks and last.marks):
            return
        last = last.blocks[-1] if last.blocks else last
    if isinstance(last, Section) or (last.is_short and not any(map(str.strip, region.lines[last.end :]))):
        detail = "the diff is cut off: its fence never closes, and its last hunk may not be whole"
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1))


def _check_torn(lines: list[str], found: list[Section | Block], reading: Reading) -> None:
    """A line of backticks that lost its sign looks like a fence: where a short hunk ends at one, more may follow."""
    blocks = [block for part in found for block in (part.blocks if isinstance(part, Section) else (part,))]
    for at, block in enumerate(blocks):
        end = block.end
        if block.numbers is None or end >= len(lines) or not _fence(lines[end]) or not block.is_short:
            continue
        after = blocks[at + 1].row if at + 1 < len(blocks) else len(lines)
        if any(line.startswith(("+", "@@")) for line in lines[end + 1 : after]):
            detail = "the hunk is shorter than its header says, and behind a line of backticks more of it may follow"
            advice = "Begin every line of context with a blank."
            reading.problems.append(Problem("bad_patch", detail, patch_line=end + 1, advice=advice))


def _check_last(lines: list[str], found: list[Section | Block], reading: Reading) -> None:
    """Where the text ends in a hunk that is shorter than it says and doesn't end as hunks do, it was cut off.

    With less context than hunks have it may also end where the file does: that only the file can tell.
    """
    part = found[-1] if found else None
    last = (part.blocks[-1] if part.blocks else None) if isinstance(part, Section) else part
    if last is None or last.numbers is None or any(map(str.strip, lines[last.end :])) or reading.problems:
        return
    tags = "".join(tag for tag, _ in last.tagged)
    missing = [said - there for said, there in zip(last.numbers[1:], last.counts, strict=True)]
    if (tags.endswith(("+", "-")) and missing[1] > 0) or (last.is_short and tags and not tags.strip(" ")):
        detail = "the diff is cut off: it ends in a hunk that has fewer lines than its header says"
        advice = "Send it to its end; if this is all, correct the counts or put it into a closed fence."
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1, advice=advice))
    elif last.is_short and (_lacks_context(last, tags) or max(missing) > _CONTEXT):
        last = last._replace(cut=True)
        found[-1] = part._replace(blocks=(*part.blocks[:-1], last)) if isinstance(part, Section) else last


def _lacks_context(last: Block, every: str) -> bool:
    """Whether a hunk has less context at its end than at its beginning; at the first line there is none to compare."""
    solid = "".join(tag for tag, text in last.tagged if text.strip() or tag != " ")
    at_top = last.numbers is not None and last.numbers.line <= 1
    for tags, least in ((every, 0 if at_top else _CONTEXT), (solid, _CONTEXT - 1)):
        behind, ahead = len(tags) - len(tags.rstrip(" ")), len(tags) - len(tags.lstrip(" "))
        if behind < (ahead if least else _CONTEXT) and ahead >= least:
            return True
    return False


def _operations(found: list[Section | Block], reading: Reading) -> list[Op]:
    """The operations of all parts. A hunk that stands alone belongs to the file edited right before it."""
    ops: list[Op] = []
    owner = ""
    reading = reading._replace(prefixed=is_prefixed([part for part in found if isinstance(part, Section)]))
    for part in found:
        if isinstance(part, Section):
            made = operations(part, reading)
            owner = made[-1].path if made and isinstance(made[-1], Edit) else ""
            ops += made
        elif owner:
            reading.notes.append(Note(f"the hunk names no file; it was read as one of {owner}", owner, part.row + 1))
            ops += edit_more(owner, (part,), reading)
        else:
            advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
            reading.problems.append(
                Problem("bad_patch", "the hunk names no file", patch_line=part.row + 1, advice=advice)
            )
    return ops


def _nothing() -> Problem:
    advice = "Write `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."
    return Problem("bad_patch", "there is no diff in it", patch_line=1, advice=advice)


# ── fences and indentation ───────────────────────────────────────────────────────────────────────


def _fence(line: str) -> str:
    """The marks that open a fence, with the indentation before them; "" for other lines."""
    if "```" not in line and "~~~" not in line:
        return ""
    bare = line.lstrip(" \t")
    for char in "`~":
        if bare.startswith(char * 3):
            return line[: len(line) - len(bare.lstrip(char))]
    return ""


def _closing(lines: list[str], row: int, opener: str) -> int:
    """The row of the line that closes a fence; behind the last one where none does."""
    marks = opener.lstrip(" \t")
    depth = len(opener) - len(marks)
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if marks in line and not line.strip().strip(marks[0]) and len(line) - len(line.lstrip(" \t")) <= depth:
            return at
    return len(lines)


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation that the first header line has, as in a list item or a quoted block."""
    pattern = re.compile(r"[ \t]+(?=diff --git |--- [^\n])")
    indent = next((found[0] for line in lines if line[:1] in (" ", "\t") and (found := pattern.match(line))), "")
    return [line.removeprefix(indent) for line in lines] if indent else lines
