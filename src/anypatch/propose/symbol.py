"""Rule `symbol`: a sketch that defines functions or classes of which the file has at least one.

Those are replaced where they are, at their own indentation; new ones go beside their neighbours, and imports that the
file lacks are added. A class is replaced member by member: members, bases and decorators that aren't shown stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from ..text import indent_of
from .definitions import Definition, namesakes, outermost, parse_sketch
from .edits import LineEdit, Unplaced, common_indent, has_word, shifted
from .imports import split_imports
from .source import SourceFile, members_of

_PAIR = tuple[Definition, Definition | None]  # a definition of the sketch, and the one of the file that it replaces
_DECORATOR = ("@", "#[", "[")
_MOST_ALIKE = 50  # definitions of one name that are compared
_CLEARLY = 0.1  # how much more alike than the second best a definition is if it is the one


class SymbolEdits(NamedTuple):
    """The edits of a sketch made of definitions.

    `kept` names what the file keeps though the sketch doesn't show it, `added` the definitions that are new, and
    `unplaced` holds the lines that have no place.
    """

    edits: list[LineEdit]
    kept: list[str]
    added: frozenset[tuple[str, ...]]
    unplaced: list[str]


def lay_symbols(source: SourceFile, body: Sequence[str], above: Sequence[str]) -> SymbolEdits | None:
    """Replace the file's definitions by those of a sketch; None if the sketch defines none that the file has.

    A name in the text above the sketch only chooses between definitions of the same name, as `Cart` in "`Cart.total`"
    does.
    """
    return _Laying(source, body, above).run()


class _Laying:
    """One sketch that is laid over one file."""

    def __init__(self, source: SourceFile, body: Sequence[str], above: Sequence[str]) -> None:
        self.source = source
        self.body = shifted(body, common_indent(body), "")
        self.above = above
        self.shown = parse_sketch(source.path, self.body)
        self.members = members_of(self.shown)
        self.twins = Counter(part.parts for part in self.shown)
        self.kept: list[str] = []
        self.added: set[tuple[str, ...]] = set()
        self.unplaced: list[str] = []

    def run(self) -> SymbolEdits | None:
        """Pair the outermost definitions with those of the file, and collect the edits."""
        named = self.source.named
        pairs: list[_PAIR] = [
            (part, self._counterpart(part, namesakes(part, named.get(part.name, [])))) for part in outermost(self.shown)
        ]
        if not any(known and not known.is_value for _, known in pairs):
            return None
        covered = {row for part, _ in pairs for row in range(part.lead, part.last + 1)}
        imports, others = split_imports(self.body, covered)
        self.unplaced += [line for line in others if line.strip() not in self.source.rows]
        edits = self._edits(pairs) + self.source.imports.add(imports)
        return SymbolEdits(_merged(edits), self.kept, frozenset(self.added), self.unplaced)

    @cached_property
    def _words_above(self) -> set[str]:
        return {word for line in self.above for word in re.findall(r"\w+", line)}

    # ── which definition is which ──────────────────────────────────────────────────────────────────

    def _counterpart(self, part: Definition, same: list[Definition]) -> Definition | None:
        """Return the one of the definitions `same` that `part` is a new version of; None if there is none."""
        if part.is_value and len(part.parts) == 1:
            same = [known for known in same if len(known.parts) == 1]
        if len(same) <= 1:
            return same[0] if same else None
        if self.twins[part.parts] == len(same):  # overloads, or a property and its setter: all are shown, in order
            siblings = [other for other in self.members[part.parts[:-1]] if other.parts == part.parts]
            return same[siblings.index(part)]
        named = [known for known in same if len(known.parts) > 1 and known.parts[-2] in self._words_above]
        return named[0] if len(named) == 1 else self._most_alike(part, same)

    def _most_alike(self, part: Definition, same: list[Definition]) -> Definition:
        """Return the definition that shares most lines with `part`, if no other one comes close."""
        if len(same) > _MOST_ALIKE:
            raise Unplaced(f"`{part.name}` is defined {len(same)} times there")
        new = self._line_counts(self.body, part)
        scores = []
        for known in same:
            old = self._line_counts(self.source.lines, known)
            scores.append(2 * (new & old).total() / (new.total() + old.total()))
        best, second = sorted(scores, reverse=True)[:2]
        if best - second < _CLEARLY:
            where = ", ".join(f"{'.'.join(known.parts)} (line {known.first + 1})" for known in same[:4])
            raise Unplaced(f"`{part.name}` is defined {len(same)} times there: {where}")
        return same[scores.index(best)]

    @staticmethod
    def _line_counts(lines: Sequence[str], part: Definition) -> Counter[str]:
        return Counter(line.strip() for line in lines[part.first : part.last + 1] if line.strip())

    # ── edits ──────────────────────────────────────────────────────────────────────────────────────

    def _edits(self, pairs: list[_PAIR], owner: Definition | None = None) -> list[LineEdit]:
        """Replace what is known; put what is new after the definition before it, else before the next one."""
        edits: list[LineEdit] = []
        following: list[Definition | None] = []
        later: Definition | None = None
        for _, known in reversed(pairs):
            following.append(later)
            later = known or later
        before: Definition | None = None
        for (part, known), after in zip(pairs, reversed(following), strict=True):
            if known is not None:
                edits += self._replace(part, known)
                before = known
            else:
                self.added.add(part.parts)
                edits.append(self._insert(part, before, after, owner))
        return edits

    def _insert(
        self, part: Definition, before: Definition | None, after: Definition | None, owner: Definition | None
    ) -> LineEdit:
        """Return the edit that adds a definition next to its neighbours in the sketch, else at the end of its class."""
        if before is None and after is None and owner is not None:
            before = max(self.source.members[owner.parts], key=lambda member: member.last)
        neighbour = before or after
        assert neighbour is not None  # at least one definition of a sketch is known
        text = self._text(part, neighbour, part.lead)
        space = [] if part.is_value and neighbour.is_value else self._space(part, neighbour)
        if before is not None:
            return LineEdit(before.last + 1, before.last + 1, space + text)
        return LineEdit(neighbour.lead, neighbour.lead, text + space)

    def _replace(self, part: Definition, known: Definition) -> list[LineEdit]:
        """Return the edits that give `known` the text of `part`."""
        if part.is_class and known.is_class:
            own = self._members(self.source.members, known)
            shown = self._members(self.members, part)
            hidden = {member.name for member in own} - {member.name for member in shown}
            if hidden and part.last > part.header and known.last > known.header:
                return self._replace_members(part, known, shown, own)
        start, kept_decorators = self._start(part, known)
        self.kept += kept_decorators
        text = self._text(part, known, part.lead if part.lead < part.first else part.first)
        if part.is_class and known.is_class:
            header = self._kept_header(part, known)
            if header:
                offset = part.header - (part.lead if part.lead < part.first else part.first)
                text[offset : offset + part.body - part.header] = header
        return [LineEdit(start, known.last + 1, text)]

    def _start(self, part: Definition, known: Definition) -> tuple[int, list[str]]:
        """Return the row from which `known` is replaced. Its comments and decorators stay if none are shown."""
        decorators = _decorators(self.source.lines, known)
        if decorators and not _decorators(self.body, part):
            return known.header, decorators
        return (known.lead if part.lead < part.first else known.first), []

    def _kept_header(self, part: Definition, known: Definition) -> list[str]:
        """Return the file's header of a class if the sketch's says less: `class Model:` keeps `class Model(Base):`."""
        own = self.source.lines[known.header : min(known.body, known.last + 1)]
        if known.last == known.header:  # class Model(Base): pass
            own = [re.sub(r":\s*(?:pass|\.\.\.)\s*$", ":", own[0])]
        shown_words = set(re.findall(r"\w+", " ".join(self.body[part.header : part.body])))
        own_words = re.findall(r"\w+", " ".join(own))
        if part.last == part.header or not shown_words < set(own_words):
            return []
        self.kept += [word for word in dict.fromkeys(own_words) if word not in shown_words]
        return own

    @staticmethod
    def _members(members: dict[tuple[str, ...], list[Definition]], outer: Definition) -> list[Definition]:
        """Return the members of one class; another one of its name may have members, too."""
        inside = members.get(outer.parts, [])
        return [member for member in inside if outer.first <= member.first and member.last <= outer.last]

    def _replace_members(
        self, part: Definition, known: Definition, shown: list[Definition], own: list[Definition]
    ) -> list[LineEdit]:
        """Return the edits for the members that a class shows; the others stay."""
        by_name: dict[str, list[Definition]] = {}
        for member in own:
            by_name.setdefault(member.name, []).append(member)
        pairs = [(member, self._counterpart(member, by_name.get(member.name, []))) for member in shown]
        names = {member.name for member in shown}
        self.kept += [f"{known.name}.{name}" for name in by_name if name not in names]
        covered = {row for member in shown for row in range(member.lead, member.last + 1)}
        lines = [self.body[row] for row in range(part.body, part.last + 1) if row not in covered]
        self.unplaced += [line for line in lines if has_word(line) and line.strip() not in self.source.rows]
        return self._edits(pairs, known) + self._class_header(part, known)

    def _class_header(self, part: Definition, known: Definition) -> list[LineEdit]:
        """Return the edits for the decorators and the header of a class, which stay if the sketch says less."""
        edits = []
        if _decorators(self.body, part):
            text = self._text(part, known, part.first)[: part.header - part.first]
            edits.append(LineEdit(known.first, known.header, text))
        else:
            self.kept += _decorators(self.source.lines, known)
        if not self._kept_header(part, known):
            text = self._text(part, known, part.header)[: part.body - part.header]
            edits.append(LineEdit(known.header, known.body, text))
        return edits

    def _text(self, part: Definition, place: Definition, first: int) -> list[str]:
        """Return the text of a definition from row `first` on, indented like the one at its place."""
        before, after = indent_of(self.body[part.header]), indent_of(self.source.lines[place.header])
        return shifted(self.body[first : part.last + 1], before, after)

    def _space(self, part: Definition, neighbour: Definition) -> list[str]:
        """Return the blank lines beside a new definition: as many as the file has between its first two."""
        if part.is_value or len(neighbour.parts) > 1:
            return [""]
        tops = [known for known in self.source.members.get((), []) if not known.is_value][:2]
        gap = tops[1].lead - tops[0].last - 1 if len(tops) == 2 else 1
        return [""] * (gap if 0 <= gap <= 2 else 1)


def _decorators(lines: Sequence[str], part: Definition) -> list[str]:
    """Return the first lines of the decorators above a definition's header."""
    rows = lines[part.first : part.header]
    return [line.strip() for line in rows if line.strip().startswith(_DECORATOR)]


def _merged(edits: list[LineEdit]) -> list[LineEdit]:
    """Return the edits in order, those that insert at the same row joined."""
    result: list[LineEdit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        last = result[-1] if result else None
        if last and last.start == last.stop == edit.start == edit.stop:
            result[-1] = LineEdit(last.start, last.stop, last.lines + edit.lines)
        elif last and edit.start < last.stop:
            raise Unplaced("two of its definitions would replace the same lines")
        else:
            result.append(edit)
    return result
