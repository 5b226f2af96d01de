class P:
    def f(self):
        ...
    size = 1

class Q:
    size = 2
