def f(x):
    # unchanged = [1]
    a = 1
    b = 2
    return a + b
