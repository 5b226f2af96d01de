def setup():
    A()
    b()
    C()
