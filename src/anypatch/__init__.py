"""anypatch applies what language models write as edits. The public names; everything is loaded at first use."""

__version__ = "0.1.0"
