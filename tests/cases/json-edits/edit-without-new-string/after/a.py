def f():
    return x


def g():
    return 2
