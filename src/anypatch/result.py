"""What every public call returns: what changed, or every reason why nothing did. Holds values; writes nothing.

result = anypatch.apply(answer, root)
print(result)                    # for a person          result.diff()       as a unified diff
result.for_model()               # for the model that wrote the answer
result.to_dict()                 # for a program: plain values, `Result.json_schema()` describes them
result.raise_for_problems()      # PatchError unless all of it was done
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .diff import counts
from .hints import Action, ProblemKind, ResultDict, Status
from .model import Block, Note, Patch, Plan, Receipt
from .problems import PatchError, Problem, all_explained
from .text import decode, encode
from .tree import Files


class Change(NamedTuple):
    """What happens to one file. `before` and `after` are its text, None if it doesn't exist.

    `moved_from`: the path it had before a move. Bytes that are not UTF-8 are lone surrogates in the texts.
    """

    path: str
    action: Action
    before: str | None
    after: str | None
    moved_from: str = ""

    @property
    def added(self) -> int:
        """How many lines are added."""
        return self._counts()[0]

    @property
    def removed(self) -> int:
        """How many lines are removed."""
        return self._counts()[1]

    def _counts(self) -> tuple[int, int]:
        return counts(encode(self.before or ""), encode(self.after or ""))


class Result:
    """The result of applying an answer. It is true if `ok`.

    Attributes:
        ok: All of it is done; for a preview, all of it would be.
        changes: What changed, file by file; see `Change`.
        problems: Every reason why it, or part of it, was refused; see `Problem`.
        notes: What else is worth knowing; see `Note`.
        receipt: What `undo` needs; None if nothing was written to disk.
        written: Whether files on disk were changed.
        files: After applying in memory, the files: a mapping from path to contents.
        status: "applied", "partial", "proposed" or "refused"; `ok` is true for the first alone.
        blocks: Every block of the answer, and what became of it.
        partial: Not ok, but what could be placed is done.
        rest: What could not be placed, as a patch, if `partial` was asked for.
        dry_run: It is a preview.
        plan: The engine's own view: each edit with its place. Its shape may change.
    """

    __slots__ = ("_explained", "_files", "_problems", "dry_run", "notes", "ok", "partial", "plan", "receipt", "rest")

    def __init__(  # noqa: PLR0913, PLR0917 - what there is to know
        self,
        ok: bool,
        plan: Plan,
        problems: tuple[Problem, ...] = (),
        notes: tuple[Note, ...] = (),
        receipt: Receipt | None = None,
        partial: bool = False,
        rest: str = "",
        dry_run: bool = False,
        files: Files | None = None,
    ) -> None:
        self.ok, self.plan, self.notes, self._problems = ok, plan, notes, problems
        self._explained: tuple[Problem, ...] | None = None if problems else ()
        self.receipt, self.partial, self.rest, self.dry_run = receipt, partial, rest, dry_run
        self._files = files

    def _replace(self, **changed: Any) -> Result:
        """The same with other values, as of a named tuple."""
        kept = {name: getattr(self, name) for name in _VALUES} | {"problems": self._problems}
        return Result(**kept | changed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        # Outcomes hold explanations that are yet to be made, which are equal to nothing.
        same_plan = self.plan.patch == other.plan.patch and self.plan.changes == other.plan.changes
        names = [name for name in (*_VALUES, "problems") if name != "plan"]
        return same_plan and all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every reason why it was refused; what is near, and what would fit, is found when somebody asks."""
        if self._explained is None:
            self._explained = all_explained(self._problems)
        return self._explained

    @property
    def files(self) -> Files:
        """After applying in memory, the files."""
        if self._files is None:
            self._files = Files()
        return self._files

    @files.setter
    def files(self, files: Files) -> None:
        self._files = files

    @property
    def status(self) -> Status:
        """ "applied", "partial", "proposed" (nothing is done: fences without marks would change files) or "refused"."""
        if self.ok:
            return "applied"
        if self.partial:
            return "partial"
        return "proposed" if set(self.kinds) == {"proposed"} else "refused"

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the answer: its lines, what it was read as, what became of it and why."""
        from .answer.accounting import block_outcomes

        return block_outcomes(self.plan, ok=self.ok or self.partial)

    @property
    def kinds(self) -> tuple[ProblemKind, ...]:
        """The kinds of its problems, each once, without any explanation."""
        return tuple(dict.fromkeys(problem.kind for problem in self._problems))

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed, or would change: one for each file; a moved file is one."""
        if self.status == "refused":
            return ()
        from .report.json import action
        from .report.words import paired

        found = []
        for change, origin in paired(self):
            before, after = (decode(file.data) if file else None for file in (change.before, change.after))
            found.append(Change(change.path, action(change, origin), before, after, origin))
        return tuple(found)

    @property
    def written(self) -> bool:
        """Whether files on disk were changed: never by a preview, by a refusal, or in memory."""
        return self.receipt is not None and bool(self.receipt.id) and not self.dry_run

    def diff(self) -> str:
        """What changed, or would change, as a unified diff; "" if nothing does."""
        from .report.files import diff_of

        return "".join(f"{line}\n" for line in diff_of(self))

    def for_model(self, max_lines: int = 80) -> str:
        """The report for the model that wrote the answer: what is wrong, what the file has, what to send instead."""
        from .report.models import for_model

        return for_model(self, max_lines)

    def to_dict(self) -> ResultDict:
        """Plain values, ready for JSON; `json_schema` describes them."""
        from .report.json import as_json

        return as_json(self)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON schema of what `to_dict` returns."""
        from .hints import ResultDict, json_schema

        return json_schema(ResultDict)

    def raise_for_problems(self) -> Result:
        """Raise PatchError if there are problems; otherwise return the result itself."""
        if self.problems:
            raise PatchError(*self.problems)
        return self

    def __str__(self) -> str:
        from .report.people import for_people

        return "\n".join(for_people(self))

    def __repr__(self) -> str:
        what = "ok" if self.ok else self.status
        kinds = ", ".join(dict.fromkeys(problem.kind for problem in self.problems))
        paths = ", ".join(change.path for change in self.plan.changes[:3]) + (
            ", …" if len(self.plan.changes) > 3 else ""
        )
        return f"<Result {' '.join(part for part in (what, kinds or paths) if part)}>"

    def __bool__(self) -> bool:
        return self.ok

    # ── for hosts built on pydantic, which take the public calls as tools ──

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        from pydantic_core import core_schema

        plain = core_schema.plain_serializer_function_ser_schema(cls.to_dict)
        return core_schema.is_instance_schema(cls, serialization=plain)

    @property
    def __pydantic_serializer__(self) -> Any:
        from pydantic_core import SchemaSerializer

        return SchemaSerializer(self.__get_pydantic_core_schema__(Result, None))

    @classmethod
    def __get_pydantic_json_schema__(cls, core: object, handler: object) -> dict[str, Any]:
        return cls.json_schema()


_VALUES = ("dry_run", "files", "notes", "ok", "partial", "plan", "receipt", "rest")


def no_plan(*problems: Problem) -> Result:
    """The result of a call that came to no plan."""
    return Result(False, Plan(Patch("")), problems)
