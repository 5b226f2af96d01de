def f():
    A()
    B()
    c()
    d()
