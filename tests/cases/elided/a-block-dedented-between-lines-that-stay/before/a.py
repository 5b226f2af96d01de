def f(x):
    y(x)
    z(x)
    with lock:
        a(x)
        b(x)
    c(x)
    d(x)


def g(x):
    return x
