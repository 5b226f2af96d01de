"""Read a chat answer into sketches, plainly, and lay it over files in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from anypatch.propose import Proposal, Sketch, Unused, propose

STORE = '''\
import json


def load(path):
    with open(path) as file:
        return json.load(file)


def save(path, data):
    with open(path, "w") as file:
        json.dump(data, file)


class Cart:
    """A shopping cart."""

    def __init__(self, items):
        self.items = items

    def total(self):
        return sum(self.items)
'''
SCRIPT = """\
function load(url) {
  var limit = 10;
  var result = fetch(url, limit);
  return result;
}

function save(url) {
  return post(url);
}
"""
NEW_TOTAL = "def total(self):\n    return round(sum(self.items), 2)"
ROUNDED = STORE.replace("return sum(self.items)", "return round(sum(self.items), 2)")


class Memory:
    """Files in memory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def paths(self) -> Collection[str]:
        return self.files.keys()

    def lines(self, path: str) -> list[str] | None:
        text = self.files.get(path)
        return None if text is None else text.removesuffix("\n").split("\n")


def fence(code: str, info: str = "python") -> str:
    return f"```{info}\n{code}\n```\n"


def read(answer: str) -> list[Sketch]:
    """Find the fences of an answer: three backticks, none inside."""
    sketches: list[Sketch] = []
    above: list[str] = []
    lines = answer.split("\n")
    row = 0
    while row < len(lines):
        if lines[row].startswith("```"):
            stop = lines.index("```", row + 1)
            info, body = lines[row][3:], tuple(lines[row + 1 : stop])
            sketches.append(Sketch(len(sketches), row + 1, info, body, tuple(above)))
            above, row = [], stop
        else:
            above.append(lines[row])
        row += 1
    return sketches


def outcome(answer: str, files: Mapping[str, str]) -> list[Proposal | Unused]:
    return propose(read(answer), Memory(files))


def rules(results: list[Proposal | Unused]) -> list[str]:
    """The rule of each sketch, "" if it is unused, with a question mark if it has alternatives."""
    named = [(result.rule, result.alternatives) if isinstance(result, Proposal) else ("", ()) for result in results]
    return [rule + ("?" if alternatives else "") for rule, alternatives in named]


def changed(answer: str, files: Mapping[str, str]) -> dict[str, str]:
    """The files after all proposals that leave no choice; checks that each begins where the one before it ended."""
    after: dict[str, str] = {}
    for result in outcome(answer, files):
        if isinstance(result, Proposal):
            known = after.get(result.path, files.get(result.path))
            assert known == (None if result.before is None else text_of(result.before)) or result.alternatives
            if not result.alternatives:
                after[result.path] = text_of(result.after)
    return after


def text_of(lines: tuple[str, ...]) -> str:
    return "".join(line + "\n" for line in lines)
