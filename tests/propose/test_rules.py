"""The rules `file` (whole files, new and rewritten) and `lines` (a quote gives way to the next fence)."""

from __future__ import annotations

from sketches import SCRIPT, STORE, changed, fence, outcome, rules

from anypatch.propose import Proposal, Unused

PACKAGE = """\
{
  "name": "shop",
  "version": "1.0.0",
  "scripts": {
    "test": "jest"
  },
  "dependencies": {
    "react": "18.0.0"
  }
}
"""


# ── file ─────────────────────────────────────────────────────────────────────────────────────────


def test_an_empty_fence_makes_an_empty_file() -> None:
    (result,) = outcome("src/__init__.py\n```python\n```\n", {"src/store.py": STORE})
    assert isinstance(result, Proposal) and (result.before, result.after) == (None, ())


def test_a_test_file_that_does_not_exist_is_created() -> None:
    code = "from store import load\n\n\ndef test_load():\n    assert load('x') == {}"
    assert list(changed(f"**tests/test_store.py**\n{fence(code)}", {"store.py": STORE})) == ["tests/test_store.py"]


def test_an_example_of_use_creates_nothing() -> None:
    code = "from store import load\n\nprint(load('x.json'))"
    for text in (
        "Run it from `main.py` like this:",
        "With `store.py` you can write:",
        "Save it in demo/main.py and try it:",
    ):
        assert rules(outcome(f"{text}\n{fence(code)}", {"store.py": STORE})) == [""]


def test_half_of_the_lines_are_a_new_version_and_what_it_drops_is_named() -> None:
    new = STORE.replace("import json", "import json\nimport os").split("class Cart")[0].rstrip() + "\n"
    new += "\n\ndef main():\n    a()\n    b()\n    c()\n    d()\n    e()\n    f()"
    (result,) = outcome(f"store.py\n{fence(new)}", {"store.py": STORE})
    assert isinstance(result, Proposal)
    assert (result.rule, result.names) == ("file", ("Cart", "Cart.__init__", "Cart.total"))


def test_another_style_of_quotes_is_the_same_file() -> None:
    text = 'import { a } from "a";\nimport { b } from "b";\n\nexport default function run() {\n  a("x");\n}\n'
    new = text.replace('"', "'").replace(";", "").removesuffix("\n")
    assert changed(f"src/run.js\n{fence(new, 'js')}", {"src/run.js": text}) == {"src/run.js": new + "\n"}


def test_a_fragment_of_json_is_not_the_file() -> None:
    for fragment in ('{\n  "dependencies": {\n    "vue": "3.0.0"\n  }\n}', '"scripts": {\n  "build": "tsc"\n}'):
        results = outcome(f"package.json\n{fence(fragment, 'json')}", {"package.json": PACKAGE})
        assert isinstance(results[0], Unused) and "has no place in package.json" in results[0].reason


def test_what_a_file_should_contain_is_not_the_file() -> None:
    answer = f"Your pyproject.toml should contain:\n{fence('[tool.ruff]' + chr(10) + 'line-length = 99', 'toml')}"
    for files in ({"pyproject.toml": "[project]\nname = 'x'\n"}, {"store.py": STORE}):
        (result,) = outcome(answer, files)
        assert isinstance(result, Unused) and "pyproject.toml" in result.reason


def test_a_function_that_is_most_of_its_file_is_not_the_file() -> None:
    text = "import os\n\n\ndef run(a):\n    b = a\n    c = b\n    d = c\n    return d\n"
    answer = (
        f"run.py\n{fence('def run(a):' + chr(10) + '    b = a' + chr(10) + '    c = b' + chr(10) + '    return c')}"
    )
    assert rules(outcome(answer, {"run.py": text})) == ["symbol"]
    assert changed(answer, {"run.py": text})["run.py"].startswith("import os\n")


def test_a_file_with_that_tail_or_a_new_one_is_not_decided() -> None:
    files = {"src/helpers.py": STORE, "main.py": "x = 1\n"}
    (whole,) = outcome(f"helpers.py\n{fence(STORE.replace('data', 'content').rstrip())}", files)
    assert isinstance(whole, Proposal)
    assert (whole.rule, whole.path, whole.alternatives) == ("file", "src/helpers.py", (0,))
    (new,) = outcome(f"helpers.py\n{fence('LIMIT = 3' + chr(10) + 'RATE = 4')}", files)
    assert isinstance(new, Proposal)
    assert (new.rule, new.path, new.before, new.alternatives) == ("file", "helpers.py", None, (0,))


def test_a_file_with_that_tail_is_the_one_whose_function_is_shown() -> None:
    files = {"src/app/helpers.py": STORE, "src/main.py": "x = 1\n"}
    assert list(changed(f"helpers.py\n{fence('def load(path):' + chr(10) + '    return 1')}", files)) == [
        "src/app/helpers.py"
    ]


def test_a_new_file_with_marks_is_not_created() -> None:
    code = "import os\n# ... existing code ...\nrun()"
    assert rules(outcome(f"src/new.py\n{fence(code)}", {"store.py": STORE})) == [""]


def test_two_versions_of_a_new_file_are_alternatives() -> None:
    answer = f"src/a.py\n{fence('LIMIT = 1')}or\n\nsrc/a.py\n{fence('LIMIT = 2')}"
    assert [result.alternatives for result in outcome(answer, {"store.py": STORE}) if isinstance(result, Proposal)] == [
        (1,),
        (0,),
    ]


# ── lines ────────────────────────────────────────────────────────────────────────────────────────

LOAD = "def load(path):\n    with open(path) as file:\n        return json.load(file)"


def test_a_quote_gives_way_to_its_new_version() -> None:
    old, new = (
        "    with open(path) as file:\n        return json.load(file)",
        "    with open(path) as file:\n        return {}",
    )
    answer = f"In store.py\n{fence(old)}becomes\n{fence(new)}"
    results = outcome(answer, {"store.py": STORE})
    assert rules(results) == ["", "lines"]
    assert isinstance(results[1], Proposal) and results[1].quote == 0
    assert changed(answer, {"store.py": STORE}) == {"store.py": STORE.replace("return json.load(file)", "return {}")}


def test_var_becomes_const() -> None:
    answer = f"In `app.js`\n{fence('var limit = 10;', 'js')}becomes\n{fence('const limit = 20;', 'js')}"
    assert changed(answer, {"app.js": SCRIPT}) == {"app.js": SCRIPT.replace("var limit = 10", "const limit = 20")}


def test_a_quote_does_not_give_way_to_usage_or_output() -> None:
    for code, info in (
        ("print(load('x.json'))", "python"),
        ("{'a': 1}", "text"),
        ("cart = Cart([])\ncart.total()", "python"),
    ):
        answer = f"store.py has\n{fence(LOAD)}so\n{fence(code, info)}"
        assert rules(outcome(answer, {"store.py": STORE})) == ["", ""]


def test_a_quote_does_not_give_way_to_another_function() -> None:
    save = "def save(path, data):\n    with open(path) as file:\n        raise NotImplementedError"
    answer = f"store.py has\n{fence(LOAD)}so\n{fence(save)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["", "symbol"]
    assert LOAD in changed(answer, {"store.py": STORE})["store.py"]


def test_a_quote_does_not_give_way_to_the_whole_file_or_to_the_function_around_it() -> None:
    whole = STORE.replace("return json.load(file)", "return {}").rstrip()
    answer = f"store.py has\n{fence(LOAD)}so\n\nstore.py\n{fence(whole)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["", "file"]
    assert changed(answer, {"store.py": STORE}) == {"store.py": whole + "\n"}
    answer = f"store.py has\n{fence('return json.load(file)')}so\n{fence(LOAD.replace('json.load(file)', '{}'))}"
    assert changed(answer, {"store.py": STORE}) == {"store.py": whole + "\n"}


def test_a_quote_that_the_file_has_twice_has_no_new_version() -> None:
    answer = f"In a.py\n{fence('x = 1')}becomes\n{fence('x = 2')}"
    assert rules(outcome(answer, {"a.py": "x = 1\ny = 2\nx = 1\n"})) == ["", ""]


def test_two_new_versions_of_a_quote_are_alternatives() -> None:
    old = fence("return sum(self.items)\nx = 1")
    text = STORE.replace("return sum(self.items)", "return sum(self.items)\n        x = 1")
    first, second = fence("return 0\nx = 1"), fence("return 1\nx = 1")
    answer = f"In store.py either\n{old}becomes\n{first}or\n{old}becomes\n{second}"
    assert rules(outcome(answer, {"store.py": text})) == ["", "lines?", "", "lines?"]


def test_an_excerpt_alone_is_unused() -> None:
    more = "".join(f"route({number});\n" for number in range(9))
    text = f"const app = express();\napp.use(json());\n\napp.listen(3000);\n{more}"
    code = "const app = express();\napp.use(cors());\napp.listen(3000);"
    assert rules(outcome(f"Allow it in `server.js`:\n{fence(code, 'js')}", {"server.js": text})) == [""]
