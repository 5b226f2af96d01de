def total(items):
    return sum(item.price for item in items)


def count(items):
    return len(items)
