def f() -> int:
    x: int
