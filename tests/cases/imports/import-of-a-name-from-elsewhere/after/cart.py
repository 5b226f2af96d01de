"""Carts."""

import os
import sys

from shop import Item
from store import Item
import math

RATE = 1


def total(items):
    return math.fsum(item.price for item in items)


def main():
    print(total([]), os.name, sys.argv)
