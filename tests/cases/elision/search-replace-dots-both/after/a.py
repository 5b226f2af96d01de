def f():
    a = 5
    b = 2
    c = 3
    return a
