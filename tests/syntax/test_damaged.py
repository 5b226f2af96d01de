"""Files with syntax errors: the lines of a symbol are right, or it is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import anypatch
from anypatch.syntax import check
from support.damage import damaged

JAVA = """package shop;

/** Prices. */
public class Prices {
    private final java.util.Map<String, Integer> all = new java.util.HashMap<>();

    @Deprecated
    public int of(String name) {
        if (!all.containsKey(name)) {
            throw new IllegalArgumentException("no price: " + name);
        }
        return all.get(name);
    }

    static class Sale extends Prices {
        int percent = 10;

        @Override
        public int of(String name) {
            int full = super.of(name);
            return full - full * percent / 100;
        }
    }

    public void put(String name, int price) {
        all.put(name, price);
    }
}
"""
SCRIPT = """export class Users {
  private users = new Map<string, User>();

  find(id: string): User | undefined {
    const key = `user-${id}`;
    if (!this.users.has(key)) {
      return undefined;
    }
    return this.users.get(key);
  }

  add(user: User): void {
    this.users.set("user-" + user.id, user);
  }
}

export function sorted(users: User[]): User[] {
  return users.sort((a, b) => {
    return a.id < b.id ? -1 : 1;
  });
}
"""
CPP = """#include <string>

namespace geo {

template <typename T>
T scale(T v) {
  return v * 2;
}

class Shape {
 public:
  virtual ~Shape() {
    log("gone");
  }

  int area() const {
    if (w_ > 0) {
      return w_ * h_;
    }
    return 0;
  }

 private:
  int w_ = 0;
  int h_ = 0;
};

}  // namespace geo
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [("Prices.java", JAVA), ("users.ts", SCRIPT), ("geo.cpp", CPP), ("gate.py", Path(check.__file__).read_text())],
    ids=["java", "typescript", "cpp", "python"],
)
def test_no_symbol_of_a_damaged_file_gets_wrong_lines(path: str, text: str, tmp_path: Path) -> None:
    """A bracket, quote or line dropped or put in anywhere: a symbol that is whole is found with its lines, or refused."""
    (tmp_path / path).write_text(text)
    counts = damaged([tmp_path / path], 250, random.Random(5))
    assert counts["wrong"] == 0
    assert counts["right"] >= 0.75 * sum(counts.values())


def test_a_header_that_the_tree_has_lost_makes_a_name_ambiguous() -> None:
    """An open quote hides the first `f`; the second is not the only one for that."""
    text = 'class A:\n    def f(self):\n        x = """a\n        return x\n\n\nclass B:\n    def f(self):\n        return 1\n'
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(text, path="a.py", name_path="f")
    assert caught.value.problems[0].kind == "ambiguous"
    symbol = anypatch.find(text, path="a.py", name_path="B/f")
    assert (symbol.range.start.line, symbol.range.end.line) == (7, 8)


def test_a_symbol_is_refused_if_tree_and_scanner_see_different_ends() -> None:
    text = JAVA.replace("        return all.get(name);\n    }\n", "        return all.get(name);\n")
    files = {"Prices.java": text}
    patch = json.dumps({"relative_path": "Prices.java", "name_path": "/Prices/of", "op": "delete"})
    report = anypatch.apply_to(patch, files)
    assert [problem.kind for problem in report.problems] == ["ambiguous"]


# path, text with a mistake, name of a symbol, its first and last line
DAMAGED = [
    # the tree takes `Generic: """…"""` for a variable with a type
    ("a.py", 'class A:\n    def f_self):\n        return 1\n\n\nclass Generic:\n    """Doc."""\n\n    x = 1\n', "Generic", (5, 8)),
    # the beginning of the comment is lost: its words don't belong to the head
    ("a.cpp", "struct V {\n  int g();\n\n   *  Removes the last.\n   */\n  void\n  pop() {\n    --end;\n  }\n};\n", "pop", (5, 8)),
    # a macro above a head that only the scanner finds
    ("a.cpp", "struct V {\n  int g() {\n    return (1;\n  }}\n\n  MY_CONSTEXPR\n  void\n  pop()\n  {\n    --end;\n  }\n};\n", "pop", (6, 10)),
    # the scope of a name is on the line above
    ("a.cpp", "void g() {\n  f('a, b);\n}}\n\ntemplate <class T>\ninline A<T>::\n    A()\n    : x() {}\n", "A", (4, 7)),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "name", "lines"), DAMAGED, ids=["class", "comment", "macro", "scope"])
def test_heads_in_damaged_files(path: str, text: str, name: str, lines: tuple[int, int]) -> None:
    """Right, or refused."""
    try:
        symbol = anypatch.find(text, path=path, name_path=name)
    except anypatch.PatchError as refused:
        assert refused.problems[0].kind == "ambiguous"
    else:
        assert (symbol.range.start.line, symbol.range.end.line) == lines
