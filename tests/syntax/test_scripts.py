"""Comments of TOML, INI, YAML, shell scripts and Makefiles: what is one, and what only looks like one."""

from __future__ import annotations

import configparser
import random
import tomllib
from pathlib import Path

import pytest
import yaml

import anypatch
from anypatch.syntax.languages import language_of
from anypatch.syntax.lexer import tokens

# path, text, the comments of it
TOLD = [
    ("a.toml", 'a = "# no" # one\nb = \'\\\' # two\nc = """\n# no\n""" # three\n"k#" = 1\n', ["# one", "# two", "# three"]),
    ("a.toml", "# one\na = 'it\n# perhaps\n", ["# one"]),
    ("a.ini", "; one\n[a]\n  # two\nx = 1 ; no\ny = # no\nz = a \\\n# no\n", ["; one", "# two"]),
    ("a.cfg", "[a]\nrequires =\n    b\n    # one\n    c\n", ["# one"]),
    ("a.yml", "# one\na: 'it''s # no'  # two\nb: it's # three\nc: \"\\\"# no\"\nd: x#no\n", ["# one", "# two", "# three"]),
    ("a.yaml", "a: |  # one\n  # no\n\n  'no # no\nb: >-\n  no\n# two\n- |\n # no\n- c # three\n", ["# one", "# two", "# three"]),
    ("b.yaml", "a: [1, '# no',  # one\n    it's]  # two\nb: {c: \"#\"}\nc: 'a\n  # no'\nd: 1 # three\n", ["# one", "# two", "# three"]),
    ("b.yaml", "url: http://a/#no\n- !tag &x '# no' # one\n'k: # no': 1 # two\n", ["# one", "# two"]),
    ("c.yaml", "a: 1 # one\nb: 'never closed\nc: 2 # perhaps\n", ["# one"]),
    ("c.yaml", "# one\na: word\n  'or a string\n  # perhaps'\nb: 1 # perhaps\n", ["# one"]),
    ("c.yaml", "--- |\n# no\n", []),
    ("a.sh", "#!/bin/sh\necho $# ${#x} ${x#y} ${x/ #/z} \\# # one\n", ["#!/bin/sh", "# one"]),
    ("a.sh", "a=\"# no $(b \"# no\" '# no') ${c:-\"# no\"}\" # one\n", ["# one"]),
    ("a.sh", "cat <<EOF >b # one\n# no $(\nEOF\ncat <<-'X' <<\"Y Z\"\n# no\n\tX\n# no\nY Z\n# two\n", ["# one", "# two"]),
    ("a.sh", "a=$'it\\'s # no'\nb=`c '# no'`\n((d = 1 << e)) # perhaps\n# perhaps\n", []),
    ("a.sh", "a=$((16#ff)) # one\ncase b in\n  c) d ;; # two\nesac\ne=( # three\n 1 )\n", ["# one", "# two", "# three"]),
    ("a.sh", "a <<< '# no' # one\nb=$(c # two )\n)\n# three\n", ["# one", "# two )", "# three"]),
    ("a.sh", "# one\na='never closed\n# perhaps\n", ["# one"]),
    ("a.sh", "# one\na=\"$(case b in c) d;; esac)\" # perhaps\n", ["# one"]),
    ("Makefile", "# one\nA = b # two\nB = '# perhaps'\nC = $(subst #,x,y)\nd: e # three\n\tf # no\n\t# no\n", ["# one", "# two", "# three"]),
    ("a.mk", "A = b \\\n# perhaps\ndefine C\n# no\nendef\nD = e\\#no\n  # one\n", ["# one"]),
    ("a.mk", ".RECIPEPREFIX = >\na:\n> b # no\n", []),
]  # fmt: skip


def told(path: str, text: str) -> list[str]:
    language = language_of(path)
    assert language is not None
    return [text[start:end] for start, end, _ in tokens(text, language)]


@pytest.mark.parametrize(("path", "text", "comments"), TOLD)
def test_comments(path: str, text: str, comments: list[str]) -> None:
    assert told(path, text) == comments


@pytest.mark.parametrize(
    ("path", "text", "comments"), [row for row in TOLD if row[0][-3:] in ("oml", "ini", "cfg", "yml", "aml")]
)
def test_readers_see_none_of_them(path: str, text: str, comments: list[str]) -> None:
    """A law: without its comments a text says the same, also where it was cut or has lost a sign."""
    rng = random.Random(text)
    for _ in range(40):
        at = rng.randrange(len(text) + 1)
        part = rng.choice(
            (text, text[:at], text[at:], text[:at] + text[at + 1 :], text[:at] + rng.choice("'\"#\n :") + text[at:])
        )
        bare = part
        language = language_of(path)
        assert language is not None
        for start, end, _ in reversed(tokens(part, language)):
            bare = bare[:start] + bare[end:]
        before = meaning(path, part)
        assert before is None or before == meaning(path, bare), part


def meaning(path: str, text: str) -> object:
    """What a reader makes of a text; None where it is none."""
    try:
        if path.endswith(".toml"):
            return tomllib.loads(text)
        if path.endswith(("yml", "yaml")):
            return [(type(event), getattr(event, "value", None)) for event in yaml.parse(text)]
        parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
        parser.read_string(text)
        return {name: {key: (value or "").split() for key, value in parser.items(name)} for name in parser.sections()}
    except (ValueError, yaml.YAMLError, configparser.Error):
        return None


def test_of_this_repository() -> None:
    top = Path(__file__).parent.parent.parent
    text = (top / "pyproject.toml").read_text()
    assert tomllib.loads(text) == meaning("a.toml", text)
    assert any(line.startswith("#") for line in told("Makefile", (top / "Makefile").read_text()))


def test_time_grows_with_the_text() -> None:
    for path, piece in (
        ("a.sh", '"$(x '),
        ("a.sh", "${"),
        ("a.sh", "<<A\n"),
        ("a.yml", "['"),
        ("a.yml", "a: |\n"),
        ("a.mk", "("),
    ):
        assert told(path, piece * 20_000) == []


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.yml", "jobs:\n  # the build\n  build:\n    color: '#fff'\n", " jobs:\n   build:\n-    color: '#fff'\n", "+    color: '#ffe'\n"),
        ("a.toml", '[a]\n# one\nx = 1\ny = "#"\n', ' [a]\n x = 1\n-y = "#"\n', '+y = "##"\n'),
        ("a.sh", "name=${1#x}\n# how many\necho $#\n", " name=${1#x}\n-echo $#\n", "+echo $@\n"),
    ],
)  # fmt: skip
def test_a_comment_that_a_diff_leaves_out_is_looked_past(path: str, text: str, old: str, new: str) -> None:
    patch = f"--- a/{path}\n+++ b/{path}\n@@ @@\n{old}{new}"
    result = anypatch.apply_to(patch, {path: text})
    gone = old.rsplit("\n-", 1)[1]
    assert result.ok, result.problems
    assert result.files[path] == text.replace(gone, new[1:])


@pytest.mark.parametrize(
    ("path", "text", "old"),
    [
        ("a.yml", "jobs:\n  run: |\n    # a step\n    make\n", " jobs:\n   run: |\n-    make\n"),
        ("a.yml", "color: '#fff'\nsize: 1\n", " color: '\n-size: 1\n"),
        ("a.sh", "name=${1 #x}\necho 1\n", " name=${1\n-echo 1\n"),
        ("Makefile", "all:\n\techo 1 # 2\n\techo 3\n", " all:\n \techo 1\n-\techo 3\n"),
        ("a.ini", "[a]\nx = 1 ; 2\ny = 3\n", " [a]\n x = 1\n-y = 3\n"),
    ],
)
def test_text_that_looks_like_a_comment_is_not(path: str, text: str, old: str) -> None:
    patch = f"--- a/{path}\n+++ b/{path}\n@@ @@\n{old}"
    assert not anypatch.apply_to(patch, {path: text}).ok
