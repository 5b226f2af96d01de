def f(
    a,
):
    b()
