def f():
    x = 100
    return x


def g():
    x = 2
    return x
