def f():
    return 10


def h():
    return 3
