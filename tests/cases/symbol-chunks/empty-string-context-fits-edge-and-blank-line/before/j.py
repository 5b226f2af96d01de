def f():
    a()

    b()
    a()
