class A:
    pass
x = 1
