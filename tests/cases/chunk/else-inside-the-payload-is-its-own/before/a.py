if a:
    a()
else:
    b()
