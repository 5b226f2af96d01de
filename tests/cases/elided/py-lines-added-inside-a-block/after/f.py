def f(x):
    y = x
    check(y)
    log(y)
    return y
