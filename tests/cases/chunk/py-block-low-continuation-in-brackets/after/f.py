def f():
    return 0

x = 1
