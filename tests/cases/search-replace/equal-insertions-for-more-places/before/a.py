def f():
    x = 1
    return 0


def g():
    y = 1
    return 0


def h():
    z = 1
    return 0
