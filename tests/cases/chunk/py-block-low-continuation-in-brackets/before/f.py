def f():
    s = g(
1,
)
    return s

x = 1
