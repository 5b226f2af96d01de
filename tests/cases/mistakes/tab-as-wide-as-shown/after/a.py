x(
  1)
if a:
    b()
    if d:
        e()
    c()
