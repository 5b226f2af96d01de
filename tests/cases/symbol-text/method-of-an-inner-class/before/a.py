class A:
    class B:
        def f(self):
            return 1
