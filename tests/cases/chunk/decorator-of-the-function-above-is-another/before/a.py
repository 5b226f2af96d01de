@c
def g():
    pass

def f():
    return 1
