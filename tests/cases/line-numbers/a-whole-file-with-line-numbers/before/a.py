import os


def total(items):
    count = len(items)
    return sum(items)
