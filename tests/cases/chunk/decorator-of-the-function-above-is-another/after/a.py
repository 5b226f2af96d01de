@c
def g():
    pass

@c
def f():
    return 2
