class A:
    def f(self):
        """Doc.

        More.
        """
        pass
