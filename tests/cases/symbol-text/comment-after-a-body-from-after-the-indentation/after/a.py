class A:
    def f(self):
        self.a = 2  # once

    def g(self):
        pass
