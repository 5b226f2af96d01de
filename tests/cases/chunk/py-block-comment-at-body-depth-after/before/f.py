def f():
    a()
    # tail
x = 1
