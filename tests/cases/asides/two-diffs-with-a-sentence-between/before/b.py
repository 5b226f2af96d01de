LIMIT = 3


def h():
    return LIMIT
