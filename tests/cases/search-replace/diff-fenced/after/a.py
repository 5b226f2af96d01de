def f():
    x = 10
    return x


def g():
    x = 2
    return x
