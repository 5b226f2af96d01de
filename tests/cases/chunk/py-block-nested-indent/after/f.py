class A:
    def f(self):
        if x:
            c()

    def g(self):
        b()
