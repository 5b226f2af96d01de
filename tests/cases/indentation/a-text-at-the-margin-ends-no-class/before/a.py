class A:
    def f(self):
        return 1

    def g(self):
        x = """
text
"""
        return 1


class B:
    def h(self):
        return 1
