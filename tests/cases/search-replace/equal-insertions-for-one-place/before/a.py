def f():
    x = 1
    return 0


def g():
    return 2
