import os
import sys


def load(path):
    with open(path) as file:
        return file.read().strip()


def total(items):
    result = 0
    for item in items:
        result += item.price * item.count
    return result


def report(items):
    return f"{len(items)} items, {total(items)}"
