"""Carts."""

import os
import sys

RATE = 1


def total(items):
    return run(sum(items), timeout=30)
