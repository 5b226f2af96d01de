if a:
    total = compute(1)
    b()
mid()
last(2)
if a:
    b()
