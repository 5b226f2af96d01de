def f(x):
    y = x
    log(y)
    return y
