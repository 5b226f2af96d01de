def f():
    x = 1
    log()
    return 0


def g():
    return 2
