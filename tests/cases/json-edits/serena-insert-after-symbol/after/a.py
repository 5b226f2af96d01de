def f():
    x = 1
    return x

def h():
    return 3


def g():
    return 2
