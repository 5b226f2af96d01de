class A:
    x = 1
    z = 3


class B:
    y = 2
