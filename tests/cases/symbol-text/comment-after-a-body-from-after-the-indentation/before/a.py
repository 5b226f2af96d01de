class A:
    def f(self):
        self.a = 1  # once

    def g(self):
        pass
