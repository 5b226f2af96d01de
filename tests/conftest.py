"""Hypothesis: the same examples in every run where CI is set, new ones on a developer's machine."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("wide", deadline=None)
settings.load_profile("steady" if os.environ.get("CI") else "wide")
