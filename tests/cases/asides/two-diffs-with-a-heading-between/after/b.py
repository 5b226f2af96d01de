LIMIT = 5


def h():
    return LIMIT
