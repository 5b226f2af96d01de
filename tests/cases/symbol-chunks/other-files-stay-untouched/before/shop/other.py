def total(items):
    amount = 0
    for item in items:
        amount += item
    return amount
