import os


def total(items):
    count = len(items)
    return max(items)
