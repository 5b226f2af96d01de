class A:
    def f(self):
        a()
        b()

    def g(self):
        pass
