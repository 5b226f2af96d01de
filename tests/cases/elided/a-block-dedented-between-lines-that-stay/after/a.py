def f(x):
    y(x)
    z(x)
    a(x)
    b(x)
    c(x)
    d(x)


def g(x):
    return x
