def f(
    a: int = {1: 2}[1],
) -> None:
    b()
x = 1
