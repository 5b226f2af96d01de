@cache
def f():
    return 2


x = 1
