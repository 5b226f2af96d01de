"""The contents of files through a transcript: what they were before each call, and what later calls made of them.

A transcript shows a file now and then. Before a call its text is known if

- it was shown before, and nothing has happened since that may have changed it;
- or it is shown after a call that failed, and nothing has happened between;
- or it was shown before and after with the same text, whatever has happened between.

Otherwise the call can't be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..hooks.clients import ToolCall
from ..hooks.codex import apply_like_codex
from ..hooks.decide import replace_exactly, replacements
from .events import Contents, EditCall, Event, MayChange, Seen, SeenLines, Session

LATER = 8  # calls that went through after a failed one, on its files, that its result is compared with

_Moment = tuple[int, int]  # how often any file, and this file, may have changed


class Step(NamedTuple):
    """The files of a failed call before and after a later call that went through."""

    before: Contents
    after: Contents


class Case(NamedTuple):
    """A call with the contents of its files. `before`: None if they aren't known; `after`: of a call that went through.

    `later`: of a failed call, the first calls on its files that went through.
    """

    call: EditCall
    before: Contents | None
    after: Contents
    later: list[Step]


class _File:
    """What is known of a file: its last text, and when it was known; or lines of it."""

    def __init__(self) -> None:
        self.changes = 0
        self.text: str | None = None
        self.known_at: _Moment | None = None
        self.lines: dict[int, str] = {}
        self.total = 0
        self.lines_at: _Moment | None = None


class _Failure:
    """A failed call whose files aren't known yet, or that waits for later calls."""

    def __init__(self, call: EditCall) -> None:
        self.call = call
        self.before: Contents = {}
        self.at: dict[str, _Moment] = {}
        self.last: Contents = {}  # texts from before the call that may be out of date
        self.lost = False
        self.later: list[Step] = []

    def case(self) -> Case:
        """Return what is known of it now."""
        is_known = not self.lost and set(self.call.files.values()) <= set(self.before)
        return Case(self.call, self.before if is_known else None, {}, self.later)


class Tracker:
    """Follows the files through the events of a transcript."""

    def __init__(self) -> None:
        self._changes = 0
        self._files: dict[str, _File] = {}
        self._open: dict[str, list[_Failure]] = {}  # those that wait for later calls
        self._unresolved: dict[str, list[_Failure]] = {}  # those whose text of this file isn't known yet

    def feed(self, event: Event) -> Iterator[Case]:
        """Take the next event. Yield the calls about which everything is known now."""
        match event:
            case Session():
                yield from self.finish()
            case Seen(path, text):
                self._learn(path, text)
            case SeenLines():
                self._collect(event)
            case MayChange(""):
                self._changes += 1
            case MayChange(path):
                self._file(path).changes += 1
            case EditCall() if event.error:
                self._failed(event)
            case EditCall():
                yield from self._went_through(event)

    def finish(self) -> Iterator[Case]:
        """Yield the failed calls that still wait for later ones, and forget all files."""
        failures = {id(failure): failure for failures in self._open.values() for failure in failures}
        yield from (failure.case() for failure in failures.values())
        self._files, self._open, self._unresolved = {}, {}, {}

    def last_text(self, path: str) -> tuple[str, bool] | None:
        """Return a file's text as the model knew it last, and False if something may have changed it since.

        None if the model hasn't seen the whole file, or has edited it in a way that the transcript doesn't show.
        """
        file = self._file(path)
        return None if file.known_at is None or file.text is None else (file.text, self._is_known(path))

    def _file(self, path: str) -> _File:
        return self._files.setdefault(path, _File())

    def _moment(self, path: str) -> _Moment:
        return self._changes, self._file(path).changes

    def _is_known(self, path: str) -> bool:
        return self._file(path).known_at == self._moment(path)

    def _learn(self, path: str, text: str | None) -> None:
        """Remember the text of a file, and whether it is the one that failed calls were about."""
        now, file = self._moment(path), self._file(path)
        for failure in self._unresolved.pop(path, ()):
            if path in failure.last and _is_same(failure.last[path], text):
                failure.before[path] = failure.last[path]
            elif failure.at[path] == now:
                failure.before[path] = text
            else:
                failure.lost = True
        if file.known_at is None or not _is_same(file.text, text):
            file.text = text
        file.known_at = now

    def _collect(self, seen: SeenLines) -> None:
        """Put the lines of a file together until all of them are there."""
        if self._is_known(seen.path):
            return
        file, now = self._file(seen.path), self._moment(seen.path)
        if file.lines_at != now:
            file.lines, file.lines_at, file.total = {}, now, 0
        file.lines |= dict(enumerate(seen.lines, seen.first))
        file.total = seen.total or file.total
        is_empty = seen.first == 1 and not seen.lines
        if is_empty or (file.total and file.total == len(file.lines) == max(file.lines)):
            self._learn(seen.path, "".join(f"{file.lines[row]}\n" for row in sorted(file.lines)))
            file.lines = {}

    def _failed(self, call: EditCall) -> None:
        failure = _Failure(call)
        for path in call.files.values():
            file = self._file(path)
            failure.at[path] = self._moment(path)
            if self._is_known(path):
                failure.before[path] = file.text
            else:
                self._unresolved.setdefault(path, []).append(failure)
            if file.known_at is not None:
                failure.last[path] = file.text
            self._open.setdefault(path, []).append(failure)

    def _went_through(self, call: EditCall) -> Iterator[Case]:
        paths = [*call.files.values()]
        for path, text in call.before.items():
            self._learn(path, text)
        before = {path: self._file(path).text for path in paths if self._is_known(path)}
        after = contents_after(call, before)
        failures = {id(failure): failure for path in paths for failure in self._open.get(path, ())}
        snapshots = {key: self._snapshot(failure) for key, failure in failures.items()}
        for path in paths:
            self._change(path, after)
        for key, failure in failures.items():
            files_before, files_after = snapshots[key], self._snapshot(failure)
            if files_before is not None and files_after is not None:
                failure.later.append(Step(files_before, files_after))
            if len(failure.later) == LATER or failure.lost:
                yield self._closed(failure)
        yield Case(call, before if len(before) == len(paths) else None, after, [])

    def _change(self, path: str, after: Contents) -> None:
        """Take over what a call made of a file, if that is known."""
        for failure in self._unresolved.pop(path, ()):
            failure.lost = True
        self._file(path).changes += 1
        self._file(path).known_at = None
        if path in after:
            self._learn(path, after[path])

    def _closed(self, failure: _Failure) -> Case:
        for path in failure.call.files.values():
            self._open[path].remove(failure)
        return failure.case()

    def _snapshot(self, failure: _Failure) -> Contents | None:
        """Return the files of a failed call as they are now, None if they aren't known."""
        paths = failure.call.files.values()
        return {path: self._file(path).text for path in paths} if all(map(self._is_known, paths)) else None


def _is_same(one: str | None, other: str | None) -> bool:
    """Return True for equal texts; some transcripts don't tell whether there is a newline at the end."""
    return one == other if one is None or other is None else one.rstrip("\n") == other.rstrip("\n")


# ── files after a call that went through, where the transcript doesn't have them ──────────────────────


def contents_after(call: EditCall, before: Contents) -> Contents:
    """Return the files of a call after it, by the client's own rule where the transcript doesn't have them."""
    unknown = [name for name, path in call.files.items() if path not in call.after]
    if not unknown:
        return dict(call.after)
    old = {name: text for name, path in call.files.items() if (text := before.get(path)) is not None}
    new = apply_like_codex(call.answer, old) if isinstance(call.answer, str) else _replaced(call.answer, old)
    if new is None:
        return dict(call.after)
    return {path: new.get(name) for name, path in call.files.items() if name in old or name in new} | dict(call.after)


def _replaced(answer: object, old: Mapping[str, str]) -> dict[str, str] | None:
    """Return the file with its text replaced exactly; None if that isn't what the client did."""
    if not isinstance(answer, dict) or len(old) != 1:
        return None
    ((name, text),) = old.items()
    after = replace_exactly(text, replacements(ToolCall("", answer["name"], answer["input"], "")))
    return None if after is None or after == text else {name: after}
