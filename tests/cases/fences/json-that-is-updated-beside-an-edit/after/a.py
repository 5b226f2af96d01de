def f():
    return 3


def g():
    return 2
