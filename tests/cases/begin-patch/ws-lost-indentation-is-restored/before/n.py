def f():
        first()
        second()
