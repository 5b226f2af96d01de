def f():
        first()
        third()
        if x:
            fourth()
