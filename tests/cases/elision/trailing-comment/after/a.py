def f(x):
    a = 1  # unchanged
    b = 2
    return a + b
