def f():
    a()
    b()
    c()


def g():
    pass
