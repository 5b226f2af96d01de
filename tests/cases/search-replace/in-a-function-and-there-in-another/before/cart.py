def total(items):
    rate = 1
    return rate


def count(items):
    rate = 2
    return rate
