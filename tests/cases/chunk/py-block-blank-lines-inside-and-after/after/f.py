def f():
    pass



def g():
    c()
