"""Hypothesis: the same examples in every run where CI is set, new ones on a developer's machine."""

from __future__ import annotations

import os
import signal
import tempfile
from importlib.util import find_spec

from hypothesis import settings

# A shell ignores Ctrl-C in what it runs in the background, and so would the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The key that signs journals: the tests use one of their own, not the developer's.
_STATE = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _STATE.name

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("wide", deadline=None)
settings.load_profile("steady" if os.environ.get("CI") else "wide")

# Trees that patches are applied to may hold tests of their own.
collect_ignore = ["cases"]

# The adapters need their frameworks, which `make test-adapters` installs into an environment of its own.
FRAMEWORKS = {
    "acp": "acp", "anthropic": "anthropic", "deepagents": "deepagents", "inspect_ai": "inspect_ai",
    "langchain": "langchain", "openai_agents": "agents", "pydantic_ai": "pydantic_ai",
}  # fmt: skip
collect_ignore += [f"adapters/test_{name}.py" for name, package in FRAMEWORKS.items() if find_spec(package) is None]
