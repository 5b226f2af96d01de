def f():
    if x:
        if y:
            a()
