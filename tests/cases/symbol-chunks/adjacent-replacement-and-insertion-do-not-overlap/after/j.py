def f():
    pre()
    a()
    B()
    mid()
    c()
