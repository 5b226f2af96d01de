def f():
        x = 2
        y = compute(z)

def g():
    x = 1
    y = compute(z)
