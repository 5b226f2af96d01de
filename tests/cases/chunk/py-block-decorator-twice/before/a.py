@cache
def f():
    return 1


x = 1
