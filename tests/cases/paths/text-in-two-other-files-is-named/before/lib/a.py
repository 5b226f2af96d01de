def alpha_total(items):
    return sum(items)
