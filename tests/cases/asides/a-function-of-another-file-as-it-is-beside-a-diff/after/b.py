def h():
    return 5


def k():
    return 6
