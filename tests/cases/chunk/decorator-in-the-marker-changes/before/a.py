@a
@b
def f():
    return 1
