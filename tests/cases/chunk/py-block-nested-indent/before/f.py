class A:
    def f(self):
        a()

    def g(self):
        b()
