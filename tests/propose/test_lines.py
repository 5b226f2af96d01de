"""Rule `lines`: a quote gives way to the next fence."""

from __future__ import annotations

from sketches import SCRIPT, STORE, changed, fence, outcome, rules

from anypatch.propose import Proposal

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
