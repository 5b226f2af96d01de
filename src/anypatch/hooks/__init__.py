"""Check an edit that an agent is about to make with a tool of its own: fix it, deny it, or leave it alone.

call = read_event(event)           # what a client tells its hook
verdict = decide(call)             # None: leave the call alone
answer(call, verdict)              # what the client expects back
"""

from .clients import CLIENTS, ToolCall, Verdict, answer, read_event
from .codex import apply_like_codex
from .decide import SeenText, decide

__all__ = ["CLIENTS", "SeenText", "ToolCall", "Verdict", "answer", "apply_like_codex", "decide", "read_event"]
