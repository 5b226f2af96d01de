def total(items):
    rate = 1
    return rate


def count(items):
    rate = 3
    return rate
