"""The cart."""


def total(items):
    found = 0
    for item in items:
        found += item.price
    return found
