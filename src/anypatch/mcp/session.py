"""What each tool does: asks the engine, answers with plain values and with words for the model. Knows no transport."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from .. import api
from ..match.files import missing, spelt
from ..model import File
from ..paths import is_sensitive, path_of_uri
from ..problems import KINDS, Problem, Refused, in_a_line
from ..report import diff_of, for_model, rows_of
from ..report import outline as in_words
from ..report.json import as_json, receipt_json, symbol_json
from ..report.words import quoted
from ..result import Result, no_plan
from ..storage.hook_log import entries
from ..storage.tree import DiskTree, Settings
from ..symbols import find, outline, read
from ..text import decode, hash_of, looks_binary, with_lf
from .protocol import NAMED, Bounds, Service, Tool, checked

if TYPE_CHECKING:
    from typing import Any

    from ..hints import SyntaxCheck
    from ..model import Receipt
    from ..symbols import Symbol


MOST_TEXT = 400_000  # characters of a symbol that are sent at once
_LINES = 80
_DIFF = 200


class Call(NamedTuple):
    """A call whose arguments were checked, the root it works in, and how changes are made there."""

    tool: str
    said: dict[str, Any]
    root: str
    settings: Settings
    syntax: SyntaxCheck = "warn"

    def text(self, name: str) -> str:
        """An argument that is a text; "" where it was left out."""
        return str(self.said.get(name, ""))

    def at(self, path: str = "") -> tuple[int, int] | None:
        """Line and column of a symbol's identifier, from 0; None where it is named instead, Refused where neither."""
        if {"line", "column"} <= self.said.keys():
            return self.said["line"] - 1, self.said["column"] - 1
        if not self.said.get("name_path"):
            raise Refused(Problem("bad_call", f"{self.tool} needs name_path, or line and column", path))
        return None


class Answer(NamedTuple):
    """What goes back: the JSON of the command line, the words for the model, and whether it was refused."""

    value: dict[str, Any]
    text: str
    failed: bool = False


class Stopped(Exception):
    """The call was cancelled before anything was written."""


class Watch:
    """Where a call has come to. Told by the engine's thread, read by the server's."""

    def __init__(self) -> None:
        self.stop = Event()
        self.cancelled = False
        self.files = 0
        self.doing = "waiting for its turn"

    def __call__(self, what: str, which: str) -> None:
        """A file is about to be read, or all are about to be written: the last moment to stop."""
        if self.stop.is_set():
            raise Stopped
        self.files += what == "read"
        self.doing = f"writing files: {which}" if what == "write" else f"{self.files} files read, now {which}"


def prepared(service: Service, tool: Tool, given: dict[str, Any], client: list[tuple[str, str]] | None) -> Call:
    """A call ready to be carried out; Refused where its arguments don't fit. `client`: the roots that it named."""
    said = checked(tool, given)
    if tool.name == "rename_symbol" and not service.lsp:
        advice = "Edit the places one by one, or ask the user to start the server with --lsp."
        raise Refused(Problem("no_server", "this server was started without language servers", advice=advice))
    root = ""
    if "root" in tool.arguments:
        found = available(service.bounds, client)
        root = chosen(found, said.pop("root", ""), said.get("relative_path", "")).path
    return Call(tool.name, said, root, service.settings, service.syntax)


def apology(error: Exception) -> Answer:
    """The answer to a call on which we failed ourselves."""
    if os.environ.get("ANYPATCH_DEBUG") == "1":
        raise error
    advice = "Call history to see whether anything was applied, and ask the user to report this."
    return refusal((Problem("io", f"internal error of anypatch itself ({in_a_line(error)})", advice=advice),))


def carried_out(call: Call) -> Answer:
    """Do what the call asks for. A refusal is an answer too."""
    try:
        return _DEEDS[call.tool](call)
    except Refused as refused:
        answer = refusal(refused.problems)
        # Of what only reads nobody asks whether anything was changed, which is the first line.
        return answer._replace(text=answer.text.partition("\n")[2]) if NAMED[call.tool].reads else answer


def refusal(problems: tuple[Problem, ...]) -> Answer:
    """The answer that a call was refused, and what to do next."""
    report = _for_agents(no_plan(*problems))
    return Answer({**as_json(report)}, for_model(report, _LINES), True)


def _apply(call: Call) -> Answer:
    dry_run = call.tool == "check_patch" or bool(call.said.get("dry_run"))
    report = api.apply(
        call.text("patch"), call.root, format=api.format_given(call.text("format")),
        overwrite=call.said.get("overwrite"), dry_run=dry_run, partial=bool(call.said.get("partial")),
        syntax=call.syntax, expected=call.said.get("expected_hashes"), settings=call.settings,
    )  # fmt: skip
    return _reported(report)


def _edit_symbol(call: Call) -> Answer:
    """One edit in the format of symbol chunks; the shape of the chunks is its business."""
    said = {name: value for name, value in call.said.items() if name != "dry_run"}
    said |= {name: said[name] - 1 for name in ("line", "column") if name in said}  # the format counts from 0
    if not ("chunks" in said or "op" in said):
        raise Refused(Problem("bad_call", "edit_symbol needs chunks, or op"))
    if not ("name_path" in said or {"line", "column"} <= said.keys()):
        raise Refused(Problem("bad_call", "edit_symbol needs name_path, or line and column"))
    dry_run = bool(call.said.get("dry_run"))
    report = api.apply(
        json.dumps([said]), call.root, format="symbol-chunks", dry_run=dry_run, syntax=call.syntax,
        settings=call.settings,
    )  # fmt: skip
    # A problem with the patch that we wrote is one with the arguments; the caller has seen no line of it.
    problems = [
        problem._replace(kind="bad_call" if problem.kind == "bad_patch" else problem.kind, patch_line=0)
        for problem in report.problems
    ]
    return _reported(report._replace(problems=tuple(problems)))


def _reported(report: Result) -> Answer:
    report = _for_agents(report)
    value: dict[str, Any] = {**as_json(report)}
    value["hashes"] = {change.path: hash_of(change.after.data) for change in report.plan.changes if change.after}
    told = for_model(report, _LINES)
    if report.dry_run and (report.ok or report.partial):
        value["diff"] = "\n".join(_first(diff_of(report), _DIFF, "… {} more lines of the diff"))
        told = f"{told}\n\n{value['diff']}"
    return Answer(value, told, not report.ok)


def _outline(call: Call) -> Answer:
    depth, kinds = call.said.get("depth"), {call.text("kind")} if call.said.get("kind") else None
    folder = call.text("relative_path").strip("/").removeprefix("./")
    with DiskTree(call.root, call.settings) as tree:
        if folder in ("", ".") or tree.has_folder(folder):
            return _outline_of_folder(tree, "" if folder == "." else folder, depth or 1, kinds)
    path, data = _file(call)
    symbols = outline(decode(data), path=path, depth=depth, kinds=kinds)
    hashed = hash_of(data)
    told = {"path": path, "hash": hashed, "symbols": [_from_one(symbol_json(symbol)) for symbol in symbols]}
    return Answer({"ok": True, "files": [told], "problems": []}, _outline_text(path, hashed, symbols))


def _outline_of_folder(tree: DiskTree, folder: str, depth: int, kinds: set[str] | None) -> Answer:
    """What is declared in the files below a folder, as far as their languages are known."""
    found, texts = [], []
    for path in tree.below(folder):
        try:
            data = (tree.read(path) or File(b"")).data
            symbols = outline(decode(data), path=path, depth=depth, kinds=kinds)
        except Refused:  # in no language that is known, or too large
            continue
        if symbols:
            found.append({"path": path, "symbols": [_from_one(symbol_json(symbol)) for symbol in symbols]})
            texts.append(_outline_text(path, "", symbols))
    lines = "\n".join(texts or ["no file here declares a symbol"]).split("\n")
    told = _first(lines, MOST_SYMBOLS, "… {} more lines; ask for one of its folders, or with kind")
    return Answer({"ok": True, "files": found, "problems": []}, "\n".join(told))


def _from_one(symbol: dict[str, Any]) -> dict[str, Any]:
    """A symbol with line and column of its identifier from 1, as every number of the server's own tools."""
    children = [_from_one(child) for child in symbol["children"]]
    return symbol | {"line": symbol["line"] + 1, "column": symbol["column"] + 1, "children": children}


def _read_symbol(call: Call) -> Answer:
    path, data = _file(call)
    text, name = decode(data), call.text("name_path")
    if name == "/":
        hashed, told = hash_of(data), text
        value: dict[str, Any] = {"ok": True, "path": path, "hash": hashed, "text": text}
        head = f"{path}  {hashed}"
    else:
        symbol = find(text, path=path, name_path=name or None, at=call.at(path))
        said = read(symbol, lead=bool(call.said.get("with_comments")))
        hashed, told = hash_of(symbol.text), said.text
        value = {"ok": True, **_from_one(symbol_json(symbol)), "path": path, "text": told, "eol": said.eol}
        head = f"{path}#{symbol.name_path}  {rows_of(symbol)}  {hashed}"
    if len(told) > MOST_TEXT:
        detail = f"it has {len(told)} characters, and at most {MOST_TEXT} are sent at once"
        raise Refused(Problem("limit", detail, path, advice="Call outline, then read the symbols inside it."))
    return Answer(value, head + "\n" + with_lf(told))


def _rename_symbol(call: Call) -> Answer:
    from ..lsp import edit_for

    at = call.at()
    path, _ = _file(call)
    made = edit_for(call.root, path, call.text("new_name"), name_path=call.text("name_path"), at=at)
    return _reported(made.applied(dry_run=bool(call.said.get("dry_run")), settings=call.settings))


def _undo(call: Call) -> Answer:
    """Take back the last receipt or the one named; found first, since it may hold files that aren't to be touched."""
    wanted = call.text("receipt")
    known = api.log(call.root, settings=call.settings)
    found = [one for one in known if (one.id.startswith(wanted) if wanted else not one.undone)]
    if not wanted and found:
        found, wanted = found[:1], found[0].id
    obeyed = [change.path for one in found for change in one.changes if is_sensitive(change.path)]
    if obeyed and not call.settings.allow_sensitive:
        why, advice = "other programs run this file or follow it", ADVICE["unsafe_path"]
        raise Refused(*(Problem("unsafe_path", why, path, advice=advice) for path in obeyed))
    report = api.undo(call.root, wanted, settings=call.settings)
    return Answer({**as_json(report)}, for_model(report, _LINES)) if report.ok else _reported(report)


def _history(call: Call) -> Answer:
    receipts = api.log(call.root, settings=call.settings)[: call.said.get("limit", 20)]
    others = api.not_ours(call.root, settings=call.settings)
    value = {"ok": True, "receipts": [receipt_json(receipt) for receipt in receipts], "not_ours": [*others]}
    value["hooks"] = entries(call.root)
    return Answer(value, _history_text(receipts, others))


def _formats(call: Call) -> Answer:
    if name := call.text("name"):
        found = api.format_named(name)
        return Answer({"ok": True, "name": found.name, "summary": found.summary, "prompt": found.prompt}, found.prompt)
    known = api.formats()
    rows = [{"name": one.name, "summary": one.summary, "can": sorted(one.can)} for one in known]
    return Answer({"ok": True, "formats": rows}, "\n".join(f"{one.name}: {one.summary}" for one in known))


def _file(call: Call) -> tuple[str, bytes]:
    """The path and the bytes of the text file that the call names, found as an edit would find it."""
    with DiskTree(call.root, call.settings) as tree:
        path = spelt(call.text("relative_path"), tree, lambda other: tree.read(other) is not None).path
        file = tree.read(path)
        if file is None:
            raise Refused(missing(path, tree))
    if looks_binary(file.data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    return path, file.data


_DEEDS: dict[str, Callable[[Call], Answer]] = {
    "apply_patch": _apply,
    "check_patch": _apply,
    "edit_symbol": _edit_symbol,
    "outline": _outline,
    "read_symbol": _read_symbol,
    "rename_symbol": _rename_symbol,
    "undo": _undo,
    "history": _history,
    "formats": _formats,
}


# ── words ───────────────────────────────────────────────────────────────────────────────────────────


MOST_SYMBOLS = 400  # lines of an outline in words; the structured one is whole

# What a caller of tools can do, where the kind's own advice is for people, or for callers of the library.
ADVICE = {
    "symbol_not_found": "Call outline for the names in the file, or give the identifier's line and column.",
    "already_applied": "There is nothing to do; undo reverts it.",
    "file_exists": "Edit it instead, choose another name, or set overwrite.",
    "unsafe_path": "Ask the user: only a server started with --allow-sensitive edits such files.",
    "hard_link": "Ask the user: this server doesn't edit files that have other hard links.",
    "limit": "Split it into smaller patches.",
    "no_receipt": "Call history to see what can be undone.",
    "bad_patch": "Follow the rules of its format; formats with its name returns them.",
    "unknown_format": "Call formats to list them.",
    "bad_root": "Ask the user to start the server with --root DIR.",
    "bad_call": "Correct the arguments and call it again.",
    "locked": "Try again in a moment.",
    "unsettled": "Stop editing and tell the user: a change was interrupted, and the tree has to be recovered first.",
    "no_server": "Edit the places one by one; the user can install a language server for this.",
}
_OF_PEOPLE = ("limit", "unsettled")  # where advice of the problem's own is for people, too


def _for_agents(report: Result) -> Result:
    """The report with advice that a caller of tools can follow, where people would be told of commands and options."""
    advised = []
    for problem in report.problems:
        kind = KINDS[problem.kind]
        of_commands = bool(kind.command) if not problem.advice else kind.id == "unsafe_path" and bool(problem.command)
        replaced = kind.id in ADVICE and (of_commands or kind.id in _OF_PEOPLE)
        advised.append(problem._replace(advice=ADVICE[kind.id]) if replaced else problem)
    return report._replace(problems=tuple(advised))


def _outline_text(path: str, hashed: str, symbols: Sequence[Symbol]) -> str:
    """A file's symbols as an indented list."""
    lines = in_words(symbols) or ["  no symbols"]
    shown = _first(lines, MOST_SYMBOLS, "  … {} more; ask with depth or kind")
    return "\n".join([f"{quoted(path)}  {hashed}".rstrip(), *shown])


def _first(lines: list[str], most: int, more: str) -> list[str]:
    """The first lines, and how many there are more."""
    return [*lines[:most], more.format(len(lines) - most)] if len(lines) > most else lines


def _history_text(receipts: Sequence[Receipt], others: Sequence[str]) -> str:
    """Receipts, one a line; `others`: ids of those that can't be used."""
    lines = []
    for receipt in receipts:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(receipt.time))
        told = [receipt.id, when + " UTC", receipt.format, "(undone)" if receipt.undone else ""]
        told.append("(in part)" if receipt.partial else "")
        files = [quoted(change.path) for change in receipt.changes[:3]]
        files += [f"and {len(receipt.changes) - 3} more"] if len(receipt.changes) > 3 else []
        told += [", ".join(files), quoted(receipt.description)]
        lines.append("  ".join(part for part in told if part))
    if others:
        lines.append(f"Not signed by this user's key, so undo can't use them: {', '.join(others)}")
    return "\n".join(lines) or "Nothing has been applied here."


# ── the folders of a call ───────────────────────────────────────────────────────────────────────────


class Root(NamedTuple):
    """A folder to work in: its real path, and the name it goes by."""

    name: str
    path: str


def available(bounds: Bounds, client: Sequence[tuple[str, str]] | None) -> list[Root]:
    """The roots of a call. `client`: the URIs and names that the client sent, None where it sends no roots."""
    told = [(path, name) for uri, name in client or () if (path := _path_of(uri))]
    if not bounds.served:
        found = told if client else [(bounds.here, "")]
    elif client:
        found = _narrowed(bounds.served, told)
    else:
        found = [(path, "") for path in bounds.served]
    if not found or not found[0][0]:
        served = " or ".join(bounds.served)
        nowhere = "none of the client's roots is a local folder" if client else "there is no root to work in"
        detail = f"none of the client's roots is in {served}" if served else nowhere
        raise Refused(Problem("bad_root", detail))
    known = dict(found)
    # Each has a name of its own: the client's, the folder's, or the path where two would be the same.
    names = [name or os.path.basename(path) or path for path, name in known.items()]
    return [Root(name if names.count(name) == 1 else path, path) for name, path in zip(names, known, strict=True)]


def chosen(roots: Sequence[Root], wanted: str, path: str) -> Root:
    """The root that a call means: the one it names, the only one, or the innermost that an absolute path lies in."""
    if wanted:
        place = os.path.realpath(_path_of(wanted) or wanted)
        meant = [root for root in roots if root.name == wanted] or [root for root in roots if root.path == place]
        if len(meant) == 1:
            return meant[0]
        raise Refused(Problem("bad_call", f"there is no root {wanted!r}; the roots are {_listed(roots)}"))
    if len(roots) == 1:
        return roots[0]
    if os.path.isabs(path):
        around = [root for root in roots if _is_in(os.path.realpath(os.path.dirname(path)), root.path)]
        if around:
            return max(around, key=lambda root: len(root.path))
    raise Refused(Problem("bad_call", f"there are several roots: {_listed(roots)}", advice="Name one in `root`."))


def _narrowed(served: Iterable[str], told: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What both sides allow: the inner one of two folders of which one lies in the other."""
    found: list[tuple[str, str]] = []
    for path, name in told:
        for own in served:
            if _is_in(path, own):
                found.append((path, name))
            elif _is_in(own, path):
                found.append((own, ""))
    return found


def _path_of(uri: str) -> str:
    """The real path of a file URI that names a folder of this machine; "" for anything else."""
    if not uri.lower().startswith("file:") or "\0" in uri or "%00" in uri:
        return ""
    try:
        path = os.path.realpath(path_of_uri(uri))
    except Refused:
        return ""
    return path if os.path.isdir(path) else ""


def _is_in(path: str, folder: str) -> bool:
    """Whether a real path is a folder or lies in it; compared by whole names."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _listed(roots: Sequence[Root]) -> str:
    return ", ".join(f"{root.name} ({root.path})" if root.name != root.path else root.path for root in roots)
