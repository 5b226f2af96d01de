"""The grammars for constrained decoding: they take what the formats teach, and nothing that their readers refuse."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from lark import Lark, UnexpectedInput

from anypatch import formats
from support.examples import Example, examples_of

TEXTS = [name for name in formats.names() if formats.named(name).grammar]
EXAMPLES = [(name, example) for name in TEXTS for example in examples_of(name)]


def grammar(name: str) -> Lark:
    return Lark(formats.named(name).grammar)


def test_every_text_format_has_one() -> None:
    calls = {"json-edits", "symbol-chunks", "workspace-edit"}
    assert set(TEXTS) == set(formats.names()) - calls


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}: {one.title}" for name, one in EXAMPLES])
def test_examples_are_taken(name: str, example: Example) -> None:
    grammar(name).parse(example.patch)


@pytest.mark.parametrize("name", TEXTS)
def test_written_patches_are_taken(name: str) -> None:
    from anypatch.model import File, FileChange

    before = b"".join(b"a%d = 1\n" % number for number in range(60))
    change = FileChange("src/m.py", File(before), File(before.replace(b"a30 = 1", b"a30 = 20")))
    made = FileChange("src/n.py", None, File(b"x = 1\n"))
    format = formats.named(name)
    creates = "create" in format.can and name != "elided"  # a new file is shown whole
    grammar(name).parse(format.render((change, made) if creates else (change,)))


REFUSED = {
    "begin-patch": "*** Begin Patch\n*** Update File: a\n@@\nno sign\n*** End Patch\n",
    "chunk": "operations:\n  - path: a\n    op: rewrite_text\n",
    "chunk-v2": "=== file: a ===\n--- replace 1\nx\n=END=\n",
    "elided": "a.py\n```python\nno mark\n```\n",
    "search-replace": "a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n",
    "unified": "--- a/x\n+++ b/x\n-no header\n+x\n",
    "whole-file": "a.py\n```python\nnever closed\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("what", ["prose", "cut", "broken"])
def test_others_are_refused(name: str, what: str) -> None:
    first = examples_of(name)[0].patch
    cut = first.rstrip("\n").rpartition("\n")[0].rpartition("\n")[0] + "\n- - -"
    text = {"prose": "Here is the change you asked for.\n", "cut": cut, "broken": REFUSED[name]}[what]
    with pytest.raises(UnexpectedInput):
        grammar(name).parse(text)


def test_the_command_prints_it() -> None:
    def schema(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anypatch", "schema", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert schema("unified", "--lark").stdout == formats.named("unified").grammar
    assert "inputSchema" in json.loads(schema("json-edits").stdout)
    refused = schema("json-edits", "--lark")
    assert refused.returncode != 0
    assert "JSON" in refused.stderr
