"""anypatch inside agent frameworks: a module for each, which alone imports its framework.

from anypatch.adapters.openai_agents import Editor    # docs/adapters.md shows them all
"""
