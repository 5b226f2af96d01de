def setup():
    a()
    b()
    c()
