"""The value that every public call returns: what changed, or every reason why nothing did. Writes nothing.

result = anypatch.apply(answer, root)
print(result)                    # for a person          result.diff()       as a unified diff
result.for_model()               # for the model that wrote the answer
result.to_dict()                 # for a program: plain values, `Result.json_schema()` describes them
result.raise_for_problems()      # PatchError unless all of it was done
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from .diff import counts
from .hints import Action, ProblemKind, ResultDict, Status
from .model import Block, Note, Patch, Plan, Proposal, Receipt
from .problems import PatchError, Problem, all_explained
from .text import encode
from .tree import Files

if TYPE_CHECKING:  # the standard library's TypeVar has a default from Python 3.13 on; type checkers know this one
    import typing_extensions

    FilesT_co = typing_extensions.TypeVar(
        "FilesT_co", bound=Mapping[str, str | bytes], covariant=True, default=Mapping[str, str | bytes]
    )
else:
    FilesT_co = TypeVar("FilesT_co", covariant=True)


class Change(NamedTuple):
    """The change of one file. `before` and `after` are its text, None if it doesn't exist.

    `moved_from`: the path it had before a move. Bytes that aren't UTF-8 are lone surrogates in the texts.
    """

    path: str
    action: Action
    before: str | None
    after: str | None
    moved_from: str = ""

    @property
    def added(self) -> int:
        """The number of lines that are added."""
        return counts(encode(self.before or ""), encode(self.after or ""))[0]

    @property
    def removed(self) -> int:
        """The number of lines that are removed."""
        return counts(encode(self.before or ""), encode(self.after or ""))[1]


class Result(Generic[FilesT_co]):
    """The result of applying an answer. It is true if `ok`.

    `Result[dict[str, str]]` is one whose `files` are a dictionary of str; plain `Result` stands for all.

    Attributes:
        ok: All of it is done; for a preview, all of it would be.
        changes: What changed, file by file; see `Change`.
        problems: Every reason why it, or part of it, was refused; see `Problem`.
        notes: What else is worth knowing; see `Note`.
        receipt: What `undo` needs; None if nothing was written to disk.
        written: Whether files on disk were changed.
        files: After applying in memory, the files: of a dictionary another one, otherwise `Files`.
        status: "applied", "partial", "proposed" or "refused"; `ok` is true for the first alone.
        blocks: Every block of the answer, and what became of it.
        proposals: What fences without marks would change, or have changed; see `Proposal`.
        partial: Not ok, but what could be placed is done.
        rest: What could not be placed, as a patch, if `partial` was asked for.
        dry_run: It is a preview.
        plan: The engine's own view: each edit with its place. Its shape may change.
    """

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
        files: FilesT_co | None = None,
    ) -> None:
        self.ok, self.plan, self._problems, self.notes = ok, plan, problems, notes
        self.receipt, self.partial, self.rest, self.dry_run = receipt, partial, rest, dry_run
        self.files: FilesT_co = Files() if files is None else files  # type: ignore[assignment]

    def _replace(self, **changes: Any) -> Result[FilesT_co]:
        """Return the result with other values, as of a named tuple."""
        kept = {name.lstrip("_"): value for name, value in vars(self).items() if name != "problems"}
        return Result(**kept | changes)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Every reason why it was refused. What is near and what would fit is looked up when somebody asks."""
        return all_explained(self._problems)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        # Of the plans, patch and changes: outcomes hold explanations still to be made, which are never equal.
        mine, others = (
            (r.ok, r.plan.patch, r.plan.changes, r.problems, r.notes, r.receipt, r.partial, r.rest, r.dry_run, r.files)
            for r in (self, other)
        )
        return mine == others

    __hash__ = None  # type: ignore[assignment]

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
        """Every block of the answer: its lines, how it was read, what became of it and why."""
        from .answer.accounting import block_outcomes

        return block_outcomes(self.plan, ok=self.ok or self.partial)

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """Every change that fences without marks would make, accepted or not."""
        return tuple(result for result in self.plan.sketched if isinstance(result, Proposal))

    @property
    def kinds(self) -> tuple[ProblemKind, ...]:
        """The kinds of its problems, each once, without any explanation."""
        return tuple(dict.fromkeys(problem.kind for problem in self._problems))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changed files, or those that would change; a moved file is one change."""
        if self.status == "refused":
            return ()
        from .report.json import action
        from .report.words import changes_and_origins

        changes = []
        for change, origin in changes_and_origins(self.plan):
            before, after = (file.text if file else None for file in (change.before, change.after))
            changes.append(Change(change.path, action(change, origin), before, after, origin))
        return tuple(changes)

    @property
    def written(self) -> bool:
        """True if files on disk were changed: never by a preview, by a refusal, or in memory."""
        return self.receipt is not None and bool(self.receipt.id) and not self.dry_run

    def diff(self) -> str:
        """Return what changed, or would change, as a unified diff; "" for nothing."""
        from .report.files import diff_of

        return "".join(f"{line}\n" for line in diff_of(self))

    def for_model(self, max_lines: int = 80) -> str:
        """Return the report for the model that wrote the answer: what is wrong, what the file has, what to send."""
        from .report.models import for_model

        return for_model(self, max_lines)

    def to_dict(self) -> ResultDict:
        """Return plain values, ready for JSON; `json_schema` describes them."""
        from .report.json import as_json

        return as_json(self)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """Return the JSON schema of `to_dict`."""
        from .hints import ResultDict, json_schema

        return json_schema(ResultDict)

    def raise_for_problems(self) -> Result[FilesT_co]:
        """Raise PatchError if there are problems; otherwise return the result itself."""
        if self.problems:
            raise PatchError(*self.problems)
        return self

    def __str__(self) -> str:
        from .report.people import for_people

        return "\n".join(for_people(self))

    def __repr__(self) -> str:
        paths = [change.path for change in self.plan.changes]
        about = ", ".join(self.kinds) or ", ".join([*paths[:3], *["…"] * (len(paths) > 3)])
        return f"<Result {'ok' if self.ok else self.status} {about}".rstrip() + ">"

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


def no_plan(*problems: Problem) -> Result:
    """Return the result of a call that failed before it had a plan."""
    return Result(False, Plan(Patch("")), problems)
