def f():
    a()
    first()
    second()
    b()
