"""Rule `file`: whole files, new and rewritten."""

from __future__ import annotations

from sketches import STORE, changed, fence, outcome, rules

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
