import sys

import pytest

from app import run


@pytest.fixture()
def quiet(patch):
    patch.set("app.check", lambda: True)
    return run
