import os


def load(path):
    with open(path) as file:
        return file.read()


def total(items):
    result = 0
    for item in items:
        result += item.price
    return result


def report(items):
    return f"{len(items)} items, {total(items)}"
