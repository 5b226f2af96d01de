def f(
    a,
) -> None:
    b()
