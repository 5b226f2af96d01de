"""The front door to language servers: asks the right one, restarts one that died, falls back with a note.

with Servers("path/to/tree") as servers:
    anypatch.apply(text, "path/to/tree")     # symbols are those of trees and server together
servers.notes                                # where the trees alone were asked, and why
"""

from __future__ import annotations

from ..errors import Problem, Refused
from ..model import Note
from ..syntax.grammars import grammar_of
from ..syntax.second import beside
from .servers import installed, servers_for
from .session import Session, Wrong
from .spans import merged
from .wire import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..syntax.symbols import Symbols
    from .servers import Server
    from .session import Answer

    T = TypeVar("T")

_TRIES = 2


class Servers:
    """The servers of one root, each started when first needed. `seconds`: for each answer; 0: as its table says."""

    def __init__(self, root: str = ".", seconds: float = 0) -> None:
        self.root, self.seconds = root, seconds
        self.notes: list[Note] = []
        self._sessions: dict[str, Session] = {}
        self._useless: dict[str, str] = {}
        self._said: dict[tuple[str, str], Symbols | None] = {}
        self._finished = False
        self._beside = beside(self.symbols)

    def __enter__(self) -> Servers:
        self._beside.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._beside.__exit__()
        self.close()

    def close(self) -> None:
        """End all servers."""
        while self._sessions:
            self._sessions.popitem()[1].close()

    def finish(self) -> None:
        """End all servers and start none any more: what they have said is still known."""
        self._finished = True
        self.close()

    def session(self, grammar: str) -> Session | None:
        """The session that answers for a language, if one was started."""
        return next((self._sessions[s.name] for s in servers_for(grammar) if s.name in self._sessions), None)

    def symbols(self, path: str, text: str, known: Symbols | None) -> Symbols | None:
        """What trees and server know together; where no server answers, what the trees do, and a note."""
        if not self._finished or (path, text) not in self._said:
            self._said[path, text] = self._together(path, text, known)
        return self._said[path, text]

    def _together(self, path: str, text: str, known: Symbols | None) -> Symbols | None:
        # a lone CR ends a line for a server, and is content to us; half a character can't be sent
        plain = text.replace("\r", " ").encode("utf-8", "replace").decode()
        try:
            server, answer = self._asked(path, lambda session, language: session.symbols(path, language, plain))
        except Refused as refused:
            detail = refused.problems[0].detail
            others = "the grammar alone tells the symbols" if known else "nothing tells its symbols"
            self._note(f"{detail}; {others}", path)
            return known
        return merged(answer.value, answer.unit, plain, known, server.name)

    def rename(self, path: str, text: str, at: tuple[int, int], new: str) -> Answer:
        """The server's edit for a rename at a place (row, column in UTF-16 units). Refused where none answers."""
        from .positions import converted

        plain = text.encode("utf-8", "replace").decode()
        line = plain.replace("\r\n", "\n").replace("\r", "\n").split("\n")[at[0]]

        def work(session: Session, language: str) -> Answer:
            place = (at[0], converted(line, at[1], "utf-16", session.unit))
            return session.rename(path, language, plain, place, new)

        return self._asked(path, work)[1]

    def _asked(self, path: str, work: Callable[[Session, str], T]) -> tuple[Server, T]:
        """What the first server answers that can; each is started anew once, if it dies."""
        grammar = grammar_of(path)
        why = "has ended, and the file has changed since" if self._finished else ""
        for server in installed(grammar) if grammar and not self._finished else ():
            for _ in range(_TRIES):
                if server.name in self._useless:
                    break
                try:
                    return server, work(self._session(server), server.languages[grammar])
                except Wrong as wrong:
                    raise Refused(Problem("not_renamed", f"{server.name} says: {wrong}"[:400], path)) from None
                except Failed as failed:
                    self._drop(server, failed)
                    why = f"{server.name} {failed}"
            else:
                self._useless[server.name] = why
            why = self._useless.get(server.name, why)
        raise Refused(_no_server(path, grammar, why))

    def _session(self, server: Server) -> Session:
        if server.name not in self._sessions:
            self._sessions[server.name] = Session(server, self.root, self.seconds)
        return self._sessions[server.name]

    def _drop(self, server: Server, failed: Failed) -> None:
        session = self._sessions.pop(server.name, None)
        if session is not None:
            session.close()
        if failed.slow:
            self._useless[server.name] = f"{server.name} {failed}"

    def _note(self, text: str, path: str) -> None:
        if not any(note.text == text for note in self.notes):
            self.notes.append(Note(text, path, kind="no_server"))


def _no_server(path: str, grammar: str, why: str) -> Problem:
    if why:
        slow = "Give it more time with --lsp-timeout." if "in time" in why else ""
        return Problem("no_server", f"the language server {why}", path, advice=slow)
    known = servers_for(grammar) if grammar else []
    name = path.rsplit("/", 1)[-1]
    if not known:
        return Problem("no_server", f"no language server is known for {name}", path, advice="Edit it by its text.")
    packages = " or ".join(dict.fromkeys(server.package for server in known))
    return Problem("no_server", f"no language server for {name} is installed", path, advice=f"Install {packages}.")
