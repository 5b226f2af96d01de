"""anypatch inside agent frameworks: a small module for each, which imports its framework and nothing else does.

from anypatch.adapters.openai_agents import Editor    # one line each; docs/agents.md has them all
"""
