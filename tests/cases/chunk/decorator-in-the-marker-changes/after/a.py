@a
@c
def f():
    return 2
