class A:
    x = 2

z = 0
