def f():
    x = 10
    return x


def g():
    x = 20
    return x
