def f():
    x = 10
    return x
