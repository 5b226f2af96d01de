"""A generator of the mistakes that models make: changes of real files, written in each format, then spoilt.

All is drawn from a `random.Random`, so that a seed names a case. `cases` is the way in, `judge` says what became of one.
The oracle: the right bytes, or a refusal with nothing touched. What a spoilt patch truly says otherwise is not generated.
"""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import anypatch
from anypatch import PatchError, api
from anypatch.api import format_given
from anypatch.model import File, FileChange
from support.mistakes_spoils import FLUSH, HUNK_SPOILS
from support.mistakes_texts import TEXT_SPOILS
from support.mistakes_written import HANDS, Lines, Piece, aligned, indent_of, pads

Tree = dict[str, bytes]


WHOLE = ('"content":', "create_file", "create-file")  # how formats of edits write a whole file where they must


class Splice(NamedTuple):
    """Lines start..end of the file become `new`."""

    start: int
    end: int
    new: list[str]


class Change(NamedTuple):
    """A file before, what happens to its lines, and how its bytes end."""

    path: str
    lines: list[str]
    splices: list[Splice]
    eol: str = "\n"
    final: bool = True

    def data(self, lines: list[str]) -> bytes:
        text = self.eol.join(lines) + (self.eol if self.final and lines else "")
        return text.encode("utf-8", "surrogateescape")

    @property
    def before(self) -> bytes:
        return self.data(self.lines)

    @property
    def after(self) -> bytes:
        return self.data(changed(self.lines, self.splices))


class Case(NamedTuple):
    """One patch text for one tree. `right`: trees that are right. `one`: it has one reading, so that a refusal is a loss."""

    format: str
    spoil: str
    tree: Tree
    text: str
    right: list[Tree]
    one: bool
    named: bool


def changed(lines: list[str], splices: list[Splice]) -> list[str]:
    result = list(lines)
    for splice in sorted(splices, reverse=True):
        result[splice.start : splice.end] = splice.new
    return result


# ── changes ──────────────────────────────────────────────────────────────────────────────────────


def make_change(path: str, text: str, rng: random.Random) -> Change | None:
    """One to three edits of a file, as a programmer makes them; None where the file offers no place."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if rng.random() < 0.2:  # a careless file: blanks at line ends, which patches lose
        lines = [line + "  " if rng.random() < 0.2 else line for line in lines]
    spots = [at for at, line in enumerate(lines) if line.strip() and len(line) < 160]
    splices: list[Splice] = []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        for _ in range(10):
            made = rng.choice(EDITS)(lines, rng.choice(spots), rng) if spots else None
            if made and lines[made.start : made.end] != made.new and apart(made, splices):
                splices.append(made)
                break
    if not splices:
        return None
    eol = "\r\n" if rng.random() < 0.1 and "\r" not in text else "\n"
    change = Change(path, lines, sorted(splices), eol, rng.random() > 0.1)
    return change if change.before != change.after else None


def apart(splice: Splice, others: list[Splice]) -> bool:
    return all(splice.end + 1 < other.start or other.end + 1 < splice.start for other in others)


def rename(lines: list[str], at: int, rng: random.Random) -> Splice | None:
    names = re.findall(r"\b[a-z_][a-z_0-9]{2,}\b", lines[at])
    if not names:
        return None
    name, end = rng.choice(names), min(at + rng.randint(1, 6), len(lines))
    new = [re.sub(rf"\b{name}\b", name + rng.choice(["_count", "2", "_new"]), line) for line in lines[at:end]]
    while end > at + 1 and new[-1] == lines[end - 1]:
        end, new = end - 1, new[:-1]
    return Splice(at, end, new)


def constant(lines: list[str], at: int, rng: random.Random) -> Splice | None:
    new = re.sub(r"\d+", lambda found: str(int(found[0]) + rng.randint(1, 9)), lines[at], count=1)
    return Splice(at, at + 1, [new])


def added(lines: list[str], at: int, rng: random.Random) -> Splice:
    return Splice(at, at, invented(indent_of(lines[at]), rng.randint(1, 4), rng))


def removed(lines: list[str], at: int, rng: random.Random) -> Splice:
    return Splice(at, min(at + rng.randint(1, 3), len(lines)), [])


def replaced(lines: list[str], at: int, rng: random.Random) -> Splice:
    new = invented(indent_of(lines[at]), rng.randint(1, 5), rng)
    return Splice(at, min(at + rng.randint(1, 5), len(lines)), new)


def function(lines: list[str], at: int, rng: random.Random) -> Splice | None:
    if at == 0 or lines[at - 1].strip():
        return None
    pad = indent_of(lines[at])
    unit = (
        "\t"
        if any(line.startswith("\t") for line in lines)
        else ("  " if any(re.match("  [^ ]", line) for line in lines) else "    ")
    )
    body = [f"{pad}def helper{rng.randint(1, 99)}(value):", f"{pad}{unit}if value:", f"{pad}{unit}{unit}return value"]
    return Splice(at, at, [*body, f"{pad}{unit}return None", ""])


def invented(pad: str, count: int, rng: random.Random) -> list[str]:
    words = ["total", "queue", "seen", "depth", "limit"]
    return [f"{pad}{rng.choice(words)}{rng.randint(1, 9)} = compute({rng.choice(words)}, {n})" for n in range(count)]


EDITS: list[Callable[[list[str], int, random.Random], Splice | None]] = [
    rename, rename, constant, constant, added, removed, replaced, function,
]  # fmt: skip


# ── as a model writes them ───────────────────────────────────────────────────────────────────────


def pieces_of(change: Change, context: int) -> list[Piece]:
    """Hunks with so many lines of context; those that would touch are one."""
    groups: list[list[Splice]] = []
    for splice in change.splices:
        if groups and splice.start - groups[-1][-1].end <= 2 * context:
            groups[-1].append(splice)
        else:
            groups.append([splice])
    return [piece_of(change.lines, group, context) for group in groups]


def piece_of(lines: list[str], group: list[Splice], context: int) -> Piece:
    at = start = max(group[0].start - context, 0)
    tagged: Lines = []
    for splice in group:
        tagged += [(" ", line) for line in lines[at : splice.start]]
        tagged += [("-", line) for line in lines[splice.start : splice.end]]
        tagged += [("+", line) for line in splice.new]
        at = splice.end
    tagged += [(" ", line) for line in lines[at : at + context]]
    heads = (line.strip() for line in reversed(lines[:start]) if re.match(r"\s*(def|class|function)\b", line))
    return Piece(tagged, start + 1, next(heads, ""))


# ── whether a patch has one reading ──────────────────────────────────────────────────────────────


def bare(line: str) -> str:
    """A line without blanks and without what looks like a comment."""
    return re.sub(r"\s", "", re.sub(r"(?:#|//|/\*).*", "", line)) or re.sub(r"\s", "", line)


def squeezed(lines: list[str], loose: bool) -> list[str]:
    plain = (bare(line) if loose else line.strip() for line in lines)
    return [line for line in plain if line]


def times(old: list[str], lines: list[str], loose: bool) -> int:
    """In how many places the old lines stand, blank lines aside; "?" stands for any line."""
    want, have = squeezed(old, loose), squeezed(lines, loose)
    if not want:
        return 2
    spots = range(len(have) - len(want) + 1)
    return sum(all(w in ("?", have[at + n]) for n, w in enumerate(want)) for at in spots)


def one_reading(change: Change, pieces: list[Piece], loose: bool) -> bool:
    """Whether every hunk fits in one place."""
    after = changed(change.lines, change.splices)
    for piece in pieces:
        if times(piece.old, change.lines, loose) != 1 or (len(pieces) > 1 and times(piece.old, after, loose) > 1):
            return False
    return True


def anchored(change: Change, pieces: list[Piece]) -> bool:
    """Whether the lines that stay at each end of a piece stand in the file once: parts are merged by nothing else."""
    for piece in pieces:
        for lines in (piece.lines, piece.lines[::-1]):
            end = list(itertools.takewhile(lambda line: line[0] == " ", lines))
            if times([text for _, text in (end if lines is piece.lines else end[::-1])], change.lines, False) != 1:
                return False
    return True


# ── cases and what becomes of them ───────────────────────────────────────────────────────────────


def cases(change: Change, rng: random.Random) -> Iterator[Case]:
    """Every format, written by `render` and by hand, under every mistake that can be made in it.

    Each format has draws of its own, so that a mistake more for one changes nothing for the others.
    """
    seed = rng.random()
    for name in FORMATS:
        rng = random.Random(f"{seed} {name}")
        try:
            text = api.format_named(name).render((FileChange(change.path, File(change.before), File(change.after)),))
        except PatchError:
            text = ""
        if text:
            yield case(change, name, "rendered: none", text, rng, one=True)
            yield from spoilt_texts(change, name, "rendered: ", text, True, rng)
        if name in HANDS:
            yield from by_hand(change, name, rng)


def by_hand(change: Change, name: str, rng: random.Random) -> Iterator[Case]:
    write, contexts = HANDS[name]
    pieces = pieces_of(change, rng.choice(contexts))
    if not sayable(change, name, pieces):
        return
    clear = one_reading(change, pieces, False) and (name != "elided" or anchored(change, pieces))
    yield from spoilt_texts(change, name, "", write(change.path, pieces, rng), clear, rng)
    for spoil in HUNK_SPOILS:
        made = spoil.make(pieces, rng) if name in (spoil.formats or (*HANDS,)) else None
        if (
            made is None
            or not sayable(change, name, made)
            or (spoil.name != FLUSH and says_otherwise(change, name, pieces, made))
        ):
            continue
        if spoil.name == FLUSH and not parses(change):
            continue  # what the syntax says is evidence for where its lines stand
        alone = clear and one_reading(change, evidence(pieces, made), spoil.loose)
        if spoil.alone and not alone:
            continue
        one = spoil.kept and alone and (name != "elided" or is_told(pieces, made))
        yield case(change, name, spoil.name, write(change.path, made, rng), rng, one=one, made=(pieces, made))
    if len(change.splices) > 1:  # the first edit is made already: that one is nothing to do, the others are
        there = change._replace(lines=changed(change.lines, change.splices[:1]), splices=[])
        text = write(change.path, pieces, rng)
        done = case(change, name, "applied in part", text, rng, one=False)
        if clear:
            yield done._replace(tree={**done.tree, change.path: there.before})


def parses(change: Change) -> bool:
    """Whether the file is Python afterwards, or nothing that we would read."""
    try:
        ast.parse(change.after if change.path.endswith(".py") else b"")
    except (SyntaxError, ValueError):
        return False
    return True


def spoilt_texts(change: Change, name: str, prefix: str, text: str, clear: bool, rng: random.Random) -> Iterator[Case]:
    telling = any(
        char in line for splice in change.splices for line in change.lines[splice.start : splice.end] for char in "<>&"
    )
    for spoil in TEXT_SPOILS:
        if name not in (spoil.formats or FORMATS) or (spoil.name == "HTML" and not telling):
            continue
        if ("path" in spoil.name or spoil.name == "HTML") and any(sign in text for sign in WHOLE):
            continue  # a whole file under another path is another file, and nothing tells which escapes in it are meant
        made = spoil.make(text, change.path, rng)
        if made is not None and made != text and (clear or not spoil.alone):
            yield case(change, name, prefix + spoil.name, made, rng, one=clear and spoil.kept)


def case(
    change: Change,
    name: str,
    spoil: str,
    text: str,
    rng: random.Random,
    *,
    one: bool,
    made: tuple[list[Piece], list[Piece]] | None = None,
) -> Case:
    tree = {change.path: change.before, "docs/notes.txt": b"notes\n"}
    folder, base = change.path.rsplit("/", 1)
    if rng.random() < 0.5:  # a namesake that looks much the same
        tree[f"{folder}2/{base}"] = change.data(changed(change.lines, change.splices[:1])) + b"x = 1\n"
    right = [{**tree, change.path: change.after}]
    if made and name == "chunk":  # CHUNK's rules: what stands inside the marker's range goes, comments and blanks too
        right.append({**tree, change.path: change.data(as_chunk_says(change, *made))})
    return Case(name, spoil, tree, text, right, one, named=rng.random() < 0.3)


def as_chunk_says(change: Change, pieces: list[Piece], made: list[Piece]) -> list[str]:
    """The file where each piece's whole range becomes the payload as the spoilt piece spells it."""
    lines = list(change.lines)
    spelt = list({piece.line: piece for piece in sorted(made, key=lambda piece: piece.line)}.values())
    pairs = sorted(zip(pieces, spelt, strict=True), key=lambda pair: -pair[0].line)
    for piece, spoilt in pairs:
        lines[piece.line - 1 : piece.line - 1 + len(piece.old)] = spoilt.new
    return lines


def sayable(change: Change, name: str, pieces: list[Piece]) -> bool:
    """Whether the hand's simple spelling holds these pieces: old text, no edge that a format trims, nothing of its marks."""
    if any(not any(text.strip() for text in piece.old) for piece in pieces):
        return False
    # Joined by line ends, a last blank line is the line end of the line above it: with it on one side alone, that goes.
    ends = [[bool("".join(lines[-1:]).strip()) for lines in (piece.old, piece.new)] for piece in pieces]
    if name == "json-edits" and any(
        old != new or not piece.new for (old, new), piece in zip(ends, pieces, strict=True)
    ):
        return False
    if name == "elided":  # the hand closes with a mark: something must follow
        return all(piece.line + len(piece.old) <= len(change.lines) for piece in pieces)
    if name == "chunk":  # blank lines at a marker's edge are no part of it
        return all(side[0].strip() and side[-1].strip() for piece in pieces for side in (piece.old, piece.new or ["x"]))
    if name == "json-edits":
        text = "\n".join(change.lines)
        return all(text.count("\n".join(piece.old)) <= 1 for piece in pieces)
    return True


def evidence(pieces: list[Piece], made: list[Piece]) -> list[Piece]:
    """The pieces with those context lines blotted out that a mistake changed in more than blanks."""
    order = {piece.line: piece for piece in made}
    found = []
    for piece in pieces:
        have = {loosely(text) for text in order.get(piece.line, piece).old}
        lines = [(tag, "?" if tag == " " and loosely(text) not in have else text) for tag, text in piece.lines]
        found.append(piece._replace(lines=lines))
    return found


def loosely(text: str) -> str:
    for plain, fancy in (("'", "’"), ('"', "”"), ("-", "–"), ("...", "…"), ("", "\u00a0")):
        text = text.replace(fancy, plain)
    return bare(text)


def says_otherwise(change: Change, name: str, pieces: list[Piece], made: list[Piece]) -> bool:
    """Whether a spoilt hunk, read to the letter or by its format's rules, is a good hunk that means something else."""
    true = {piece.line: piece for piece in pieces}
    for piece in made:
        same = true[min(true, key=lambda line: abs(line - piece.line))]
        if squeezed(piece.old, False) != squeezed(same.old, False) and times(piece.old, change.lines, False):
            return True
        for plain in (str.rstrip, str.strip, str):  # to the letter, and blanks at the ends aside
            # Blank lines at a hunk's edges are no part of it where nothing matches with them.
            for ends in (list, edged):
                old, true_old = ([plain(line) for line in ends(lines)] for lines in (piece.old, same.old))
                if old != true_old and "\n".join(old) in "\n".join(plain(line) for line in change.lines):
                    return True
        if name == "elided" and pads(piece.new) != pads(same.new) and kept_pads(piece) == kept_pads(same):
            return True  # no line that stays shows that the new ones are indented differently
        if name == "chunk" and not aligned(piece) and list(map(indent_of, piece.old)) != list(map(indent_of, same.old)):
            return True  # "indent: none" is to the letter
        if name == "chunk" and inner(piece.old) == inner(same.old) and inner(piece.new) != inner(same.new):
            return "\t" not in "".join(inner(piece.new))  # the marker shows the same, so the payload's depth is meant
    return False


def kept_pads(piece: Piece) -> set[str]:
    return pads([text for tag, text in piece.lines if tag == " "])


def is_told(pieces: list[Piece], made: list[Piece]) -> bool:
    """Whether the lines that stay show every indentation that the new lines have, where any of it was changed."""
    told = {piece.line: piece for piece in pieces}
    for piece in made:
        if pads(piece.new) != pads(told[piece.line].new) and not pads(piece.new) <= kept_pads(piece):
            return False
    return True


def edged(lines: list[str]) -> list[str]:
    """The lines without the blank ones at both ends."""
    solid = [n for n, line in enumerate(lines) if line.strip()]
    return lines[solid[0] : solid[-1] + 1] if solid else lines


def inner(lines: list[str]) -> list[str]:
    """The indentation of lines, as CHUNK shows it: without the first line's."""
    found = [indent_of(line) for line in lines if line.strip()]
    return [pad.removeprefix(found[0]) for pad in found]


class Verdict(NamedTuple):
    """What became of a case: "right", "refused" or "wrong", and why."""

    word: str
    why: str
    got: Tree


def judge(case: Case) -> Verdict:
    try:
        result = anypatch.apply_to(case.text, case.tree, format=format_given(case.format if case.named else ""))
    except Exception as error:  # nothing may be raised for what is wrong with a patch
        return Verdict("wrong", repr(error), case.tree)
    got: Tree = {path: data for path, data in result.files.items() if isinstance(data, bytes)}
    if not result.ok:
        kinds = ",".join(sorted({problem.kind for problem in result.problems}))
        return Verdict("refused" if got == case.tree else "wrong", kinds, got)
    if got in case.right:
        return Verdict("right", "", got)
    if got == case.tree:  # it says that all stands already
        return Verdict("refused", "nothing to do", got)
    # Where the patch itself spoilt the blanks of blank lines, nobody can tell which were meant: seen, but no harm.
    cosmetic = any(without_blanks(got) == without_blanks(tree) for tree in case.right)
    if case.spoil.startswith(("blanks ", "blank ")):  # where blank lines stand is then for the file's habit to say
        cosmetic = cosmetic or any(unspaced(got) == unspaced(tree) for tree in case.right)
    return Verdict("cosmetic" if cosmetic else "wrong", "blanks on blank lines" if cosmetic else "", got)


def without_blanks(tree: Tree) -> Tree:
    """The tree with blank lines made empty."""
    return {
        path: b"\n".join(line if line.strip() else b"" for line in data.split(b"\n")) for path, data in tree.items()
    }


def unspaced(tree: Tree) -> Tree:
    """The tree without blank lines."""
    return {path: b"\n".join([line for line in data.split(b"\n") if line.strip()]) for path, data in tree.items()}


def judge_again(case: Case) -> Verdict:
    """The same patch on its own result: refused, or nothing changes."""
    return judge(case._replace(tree=case.right[0], spoil="applied again: " + case.spoil, one=False))


FORMATS = ("begin-patch", "unified", "search-replace", "json-edits", "chunk", "chunk-v2")
