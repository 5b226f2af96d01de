"""What the rough look at YAML's indentation refuses, PyYAML refuses too."""

from __future__ import annotations

import random

import pytest
import yaml

from anypatch.syntax.yaml_depth import misplaced

FINE = [
    "a: 1\nb:\n- x\n- y: 2\n  z: 3\nc:\n  - - 1\n    - 2\n  - k: v\n",
    "run: |\n  a: 1\n    b: 2\n c: 3\nnext: >-\n  one\n  two: three\n",
    "- name: x\n  run: |\n    make\n      all: 1\n- name: y\n  with:\n    k: v # why: so\n",
    "a: word\n  goes on\nb: 'it''s'\nc: \"x: y\"\n'd e': f\n\"g\": h\n",
    "a: &x\n  b: 1\nc:\n  <<: *x\n---\nd: 1\n...\n",
    "a: [1,\n  2]\nb:\n   c: 1\n   d: {e: 1,\n f: 2}\n",
    "# one\na:\n    # two\n  # three\n  b: http://x.y/z\n  c: 12:30\n",
    "? a\n: b\n",
    "{{ if x }}\na: 1\n  b: 2\n",
    "-\n  a: 1\n-\n  b: 2\n",
]
WRONG = [
    ("matrix:\n  os: [linux]\nruby: [3.1]\n  include: all\n", 4),
    ("- os: linux\n  rust: 1\n env: x\n", 3),
    ("a:\n    b: 1\n  c: 2\n", 3),
    ("a:\n\tb: 1\n", 2),
    ("steps:\n  - run: make\n     env: x\n", 3),
]


@pytest.mark.parametrize("text", FINE)
def test_what_can_be_read_passes(text: str) -> None:
    assert not misplaced(text)


@pytest.mark.parametrize(("text", "line"), WRONG)
def test_the_line_is_told(text: str, line: int) -> None:
    assert misplaced(text) == line
    assert not is_read(text)


def is_read(text: str) -> bool:
    try:
        list(yaml.compose_all(text))
    except yaml.YAMLError:
        return False
    return True


def some_value(rng: random.Random, depth: int) -> object:
    kind = rng.randrange(6) if depth else 5
    if kind < 2:
        return {
            rng.choice("abcdefgh") * rng.randint(1, 3): some_value(rng, depth - 1) for _ in range(rng.randint(1, 4))
        }
    if kind < 4:
        return [some_value(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    texts = ["x", "two words", "a: b", "# no", "one\ntwo: 2\n  three\n", "'", '"', 7, None, True, "- x", "long " * 30]
    return rng.choice(texts)


def test_what_is_refused_nobody_reads() -> None:
    """Lines of written YAML, moved at random: some of them can still be read, and those pass."""
    rng = random.Random(3)
    refused = 0
    for _ in range(600):
        text = yaml.safe_dump(
            some_value(rng, 4), sort_keys=False, indent=rng.choice((2, 4)), width=rng.choice((40, 200))
        )
        assert not misplaced(text), text
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        lines[at] = " " * rng.randint(0, 8) + lines[at].lstrip(" ")
        moved = "\n".join(lines)
        if misplaced(moved):
            refused += 1
            assert not is_read(moved), moved
    assert refused > 100
