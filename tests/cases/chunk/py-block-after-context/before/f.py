for i in x:
    a()
for i in x:
    b()
