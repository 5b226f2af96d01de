"""A person decides what of an answer is kept: on the terminal, as `git add -p` does, or on a page in the browser.

    (2/5) Keep this? [y,n,a,d,e,j,k,q,?]

Pager, editor and browser run before the last question; after it the process runs nothing.
"""

from __future__ import annotations

import gc
import getpass
import os
import shlex
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import api
from ..problems import Problem, Refused, reason
from ..report.files import changed_files, diff_of
from ..report.people import explained, listed
from ..report.words import many, note_line, span
from ..result import Result
from ..reviewing.decisions import Choice
from ..reviewing.hunks import Hunk
from ..reviewing.review import Review, review_text
from ..text import decode, encode
from . import terminal
from .inputs import file_given, format_name, read_answer, settings
from .landlock import restrict
from .output import Output, as_output, layout, painter

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..match.files import Tree
    from ..reviewing.page.app import Service
    from ..tree import TreeBefore

_HELP = {
    "y": "apply it",
    "n": "change nothing",
    "s": "select: decide hunk by hunk",
    "o": "open: decide in the browser",
    "?": "this help",
}
_HUNK_HELP = {
    "y": "keep this hunk",
    "n": "leave it out",
    "a": "keep this one and all later ones of the file",
    "d": "leave out this one and all later ones of the file",
    "e": "edit its new lines",
    "j": "go to the next one, this stays undecided",
    "k": "go to the one before",
    "q": "leave out all that are undecided",
    "1": "a number takes that option where there are several",
    "?": "this help",
}
_OPTION_LINES = 30


# ── in the browser ───────────────────────────────────────────────────────────────────────────────


def run_review(args: Namespace) -> Output:
    """Serve the page until it is closed; with --html, write it to a file instead."""
    with api.given_base(args.base, args.root) as base:
        return show_in_browser(args, _review(args, base))


def show_in_browser(args: Namespace, review: Review) -> Output:
    """Serve the page of a review until it is closed, and report what was applied on it."""
    try:
        from ..reviewing.page.app import Service
        from ..reviewing.page.render import Renderer
    except ImportError as error:
        if (error.name or "").startswith("anypatch"):
            raise
        advice = "Run: python -m pip install starlette uvicorn jinja2 pygments"
        raise Refused(Problem("bad_call", f"the page needs the package {error.name}", advice=advice)) from None
    title = os.path.basename(os.path.abspath(args.root)) or args.root
    if getattr(args, "html", None):
        return _write(args.html, Renderer(review, is_static=True).static_page(title))
    gc.enable()  # the program does without the collector, but not for an hour
    service = Service(review, title)
    terminal.write(sys.stderr, _greeting(args, service))
    if _has_browser() and not getattr(args, "no_open", False):
        _open_browser(service.address)
    restrict(args)
    service.run()
    result = service.session.result
    return as_output(args, result) if result else Output(1, [], ["nothing was changed"])


def _review(args: Namespace, base: Callable[[Tree], TreeBefore] | None) -> Review:
    return review_text(
        read_answer(args), args.root, format=format_name(args), overwrite=args.overwrite, syntax=args.syntax or "warn",
        file=file_given(args), settings=settings(args), base=base,
    )  # fmt: skip


def _write(path: str, page: str) -> Output:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    except (OSError, ValueError) as error:
        raise Refused(Problem("io", f"{path} can't be written: {reason(error)}")) from None
    return Output(0, [f"written: {terminal.harmless(path)}"], [])


def _greeting(args: Namespace, service: Service) -> list[str]:
    """Say where the page is, and how to get there from another machine."""
    look = layout(args, sys.stderr)
    end = "It ends when you close the page, after an hour without a decision, or with Ctrl-C."
    lines = ["The review is at", f"  {service.address}", *look.wrapped("", end)]
    connection = os.environ.get("SSH_CONNECTION", "").split()  # the client's address and port, then ours
    if len(connection) != 4:
        return lines
    host, port = connection[2:]
    way = f"-L {service.port}:127.0.0.1:{service.port}" + ("" if port == "22" else f" -p {port}")
    forward = f"ssh {shlex.quote(getpass.getuser())}@{shlex.quote(host)} {way}"
    return [*lines, *look.wrapped("", "If your browser is on another machine, run this there first:"), f"  {forward}"]


def _has_browser() -> bool:
    """Return True if there is a screen for a browser, or $BROWSER names one."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def _open_browser(address: str) -> None:
    """Start the browser, which goes on by itself: this process may run nothing from now on."""
    subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "webbrowser", address], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


# ── on the terminal ──────────────────────────────────────────────────────────────────────────────


def decide(args: Namespace, review: Review) -> Review | Output | None:
    """Show what an answer would change, and ask; return what is kept, None for nothing.

    If it is opened in the browser, everything is done there: return the report.
    """
    _print(_summary(args, review))
    if review.problems:
        _print([*explained(Result(False, review.full_plan, review.problems), layout(args)), ""])
    is_seen = terminal.show(diff_of(Result(True, review.plan()), painter(args)))
    while True:
        reply = _first_question(review, is_seen)
        if reply == "y" and not review.problems:
            return review
        if reply == "n":
            return None
        if reply == "o":
            return show_in_browser(args, review)
        if reply == "s":
            review = select(args, review)
            if not (review.problems or review.plan().changes):
                return None
            is_seen = True
            _print([*_summary(args, review), *_open_lines(args, review)])
        else:
            _print_help(args, {key: text for key, text in _HELP.items() if key != "y" or not review.problems})


def _first_question(review: Review, is_seen: bool) -> str:
    """Ask whether to apply; Enter is a yes only where all was seen, and every edit is stated and has its place."""
    default = "y" if review.is_sure and is_seen else "n"
    if review.problems:
        question = "Decide? [s]elect, [o]pen in the browser, [N]o, [?] "
        short = "Decide? [s/o/N/?] "
    else:
        yes, no = ("[Y]es", "[n]o") if default == "y" else ("[y]es", "[N]o")
        question = f"Apply this? {yes}, {no}, [s]elect, [o]pen in the browser, [?] "
        short = f"Apply this? [{yes[1]}/{no[1]}/s/o/?] "
    word = _typed(question if terminal.width() > len(question) + 3 else short, at_end="n")
    return {"yes": "y", "no": "n", "select": "s", "open": "o"}.get(word, word) or default


def _typed(question: str, at_end: str = "") -> str:
    """Return what is typed, in lower case; `at_end` if the input ends."""
    line = terminal.reply(question)
    return at_end if line is None else line.strip().lower()


# ── hunk by hunk ─────────────────────────────────────────────────────────────────────────────────


def select(args: Namespace, review: Review) -> Review:
    """Decide about every choice that is open, then about every hunk."""
    review = _without_failed(args, _decide_choices(args, review))
    decided: set[object] = set()
    at = 0
    while left := [number for number, hunk in enumerate(review.hunks) if hunk.key not in decided]:
        at = next((number for number in left if number >= at), left[0])
        _print(_hunk_lines(args, review, review.hunks[at]))
        key = _typed(f"({at + 1}/{len(review.hunks)}) Keep this? [y,n,a,d,e,j,k,q,?] ", at_end="q")
        if key in ("j", "k"):
            at = at + 1 if key == "j" else max((number for number in left if number < at), default=at)
        else:
            review, done = _answered(args, review, key, at, left)
            decided.update(hunk.key for hunk in done)
    return review


def _answered(args: Namespace, review: Review, key: str, at: int, left: Sequence[int]) -> tuple[Review, list[Hunk]]:
    """Do what a key says about a hunk; return the review then, and the hunks that this decides about."""
    if named := _named_by(key, review.hunks, at, left):
        ids = [hunk.id for hunk in named]
        return review.keep(*ids) if key in ("y", "a") else review.drop(*ids), named
    if key == "e":
        edited = _edited(review, review.hunks[at])
        return (edited, [review.hunks[at]]) if edited else (review, [])
    if key.isdigit():
        return _picked(review, int(key)), []
    _print_help(args, _HUNK_HELP)
    return review, []


def _named_by(key: str, hunks: Sequence[Hunk], at: int, left: Sequence[int]) -> list[Hunk]:
    """Return the hunks that a key decides about: one, it and those after it in its file, or all that are left."""
    if key in ("y", "n"):
        return [hunks[at]]
    if key in ("a", "d"):
        return [one for one in hunks[at:] if one.path == hunks[at].path]
    return [hunks[number] for number in left] if key == "q" else []


def _decide_choices(args: Namespace, review: Review) -> Review:
    """Ask about every choice; one may show others."""
    asked: set[str] = set()
    while choice := next((one for one in review.choices if one.chosen is None and one.id not in asked), None):
        _print(_choice_lines(args, choice))
        numbers = [str(option.number) for option in choice.options]
        reply = _typed(f"Which? [{','.join(numbers)}, n for none of them] ")
        asked.add(choice.id)
        if reply in numbers:
            review = review.choose_number(int(reply))
        elif reply == "n":
            review = review.choose(choice.id, 0)
    return review


def _without_failed(args: Namespace, review: Review) -> Review:
    """Ask about each edit that has no place and no correction."""
    with_choice = {number for choice in review.choices if choice.chosen is None for number in choice.edits}
    for edit in review.edits:
        if edit.problems and edit.number not in with_choice:
            lines = [f"edit {edit.number}, {edit.path}: {problem.message}" for problem in edit.problems]
            _print(["", *layout(args).wrapped("", "\n".join(lines))])
            if _typed("It has no place. Leave it out? [y,n] ") in ("y", "yes"):
                review = review.drop(edit.number)
    return review


def _picked(review: Review, number: int) -> Review:
    try:
        return review.choose_number(number)
    except Refused as refused:
        _print([problem.detail for problem in refused.problems])
        return review


def _edited(review: Review, hunk: Hunk) -> Review | None:
    """Let somebody write other new lines for a hunk, and keep it with those; None if that isn't possible."""
    if hunk.sides is None or hunk.kind not in ("lines", "create"):
        _print(["It has no lines to edit."])
        return None
    text = _from_editor(hunk.new_text, os.path.splitext(hunk.path)[1])
    if text is None:
        _print(["The editor failed; nothing was changed."])
        return None
    return review.edit(hunk.id, text)


def _from_editor(text: str, suffix: str) -> str | None:
    """Return a text as somebody leaves it in their editor; None if that fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        file.write(encode(text))
        file.flush()
        try:
            with open("/dev/tty", "rb") as keys:
                done = subprocess.run(f"{editor} {shlex.quote(file.name)}", shell=True, stdin=keys, check=False)  # noqa: S602 - as git does
        except OSError:
            return None
        if done.returncode:
            return None
        with open(file.name, "rb") as written:  # editors write a new file of that name
            return decode(written.read())


# ── what is shown ────────────────────────────────────────────────────────────────────────────────


def _summary(args: Namespace, review: Review) -> list[str]:
    """Return the files, how many hunks are kept, and what isn't used."""
    look = layout(args)
    kept = Result(True, review.plan())
    hunks, proposals = review.hunks, len(review.proposals)
    rows = changed_files(kept)
    count = f"{sum(hunk.kept for hunk in hunks)} of {many(len(hunks), 'hunk')}"
    if all(hunk.kept for hunk in hunks):
        count = many(len(hunks), "hunk")
    parts = [f"{many(len(rows), 'file')}, {count}"] if rows else []
    parts += [f"{many(proposals, 'proposal')} from code that isn't marked as an edit"] if proposals else []
    lines = [*listed(rows, kept, look), *look.wrapped("", "; ".join(parts) or "nothing would change", "strong")]
    for block in review.blocks:
        if block.state == "unused":
            lines += look.wrapped(f"{span(block.first, block.last)}: ", f"not used. {block.reason}", "dim")
    for note in review.notes:
        if note.kind != "unused" and not note.patch_line:
            lines += look.wrapped("", note_line(note), "dim")
    return lines


def _open_lines(args: Namespace, review: Review) -> list[str]:
    """Return a line for each problem that is still open."""
    look, lines = layout(args), []
    for problem in review.problems:
        place = f"line {problem.patch_line} of the answer: " if problem.patch_line else ""
        lines += look.wrapped("open: ", f"{place}{problem.message}", "bad")
    return lines


def _choice_lines(args: Namespace, choice: Choice) -> list[str]:
    paint = painter(args)
    lines = ["", *layout(args).wrapped("", choice.question, "strong")]
    for option in choice.options:
        lines.append(f"{option.number}. " + paint("path", option.label))
        text = option.text.split("\n") if option.text else []
        styles = {"-": "remove", "+": "add", "@": "hunk"}
        lines += [paint(styles.get(line[:1], ""), f"     {line}") for line in text[:_OPTION_LINES]]
        lines += [f"     … {many(len(text) - _OPTION_LINES, 'more line')}"] if len(text) > _OPTION_LINES else []
    return lines


def _hunk_lines(args: Namespace, review: Review, hunk: Hunk) -> list[str]:
    """Return a hunk as it is shown: its file, where it comes from, its lines with the words that differ."""
    paint = painter(args)
    edit = next((one for one in review.edits if one.number == hunk.edit), None)
    source = f"edit {hunk.edit}" + (f", a proposal ({edit.rule})" if edit and edit.rule else "")
    state = "" if hunk.kept else ", left out"
    lines = ["", paint("strong", hunk.path) + paint("dim", f"  {source}{state}")]
    if hunk.kind != "lines":
        lines.append(paint("hunk", {"create": "a new file", "delete": "the file is deleted"}.get(hunk.kind, hunk.kind)))
    else:
        lines.append(paint("hunk", _header(hunk)))
    for line in hunk.lines:
        style = {"-": "remove", "+": "add"}.get(line.sign, "")
        shown = paint(style, line.sign)
        at = 0
        for start, stop in line.changed:
            shown += paint(style, line.text[at:start]) + paint(f"{style}_word", line.text[start:stop])
            at = stop
        lines.append(shown + paint(style, line.text[at:]) + (paint("dim", f" ({line.ending})") if line.ending else ""))
    return lines


def _header(hunk: Hunk) -> str:
    """Return the line with which a diff introduces a hunk: the first line on each side, and how many there are."""
    old = [line.old for line in hunk.lines if line.old] or [hunk.old[0]]
    new = [line.new for line in hunk.lines if line.new] or [hunk.new[0]]
    return f"@@ -{old[0]},{sum(map(bool, old))} +{new[0]},{sum(map(bool, new))} @@"


def _print_help(args: Namespace, keys: dict[str, str]) -> None:
    _print([line for key, text in keys.items() for line in layout(args).wrapped(f"{key} - ", text)])


def _print(lines: list[str]) -> None:
    terminal.write(sys.stdout, lines)
