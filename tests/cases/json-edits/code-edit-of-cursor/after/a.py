def f():
    x = 10
    return x


def g():
    return 2
