class A:
    def f(self):
        a()
        q = """
    SELECT
    """
        b()

    def g(self):
        pass
