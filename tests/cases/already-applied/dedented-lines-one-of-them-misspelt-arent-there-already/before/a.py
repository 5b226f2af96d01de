class A:
    def f(self):
        if x:
            a = 1
            b = 2
        return a
