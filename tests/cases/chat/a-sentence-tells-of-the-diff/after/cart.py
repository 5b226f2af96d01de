"""Carts."""

import os
import sys

RATE = 2


def total(items):
    return run(sum(items), timeout=30)
