def total(items):
    return round(sum(item.price for item in items), 2)


def count(items):
    return len(items)
