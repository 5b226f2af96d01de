def f(x):
    y = x + 1
    z = y
    return z
