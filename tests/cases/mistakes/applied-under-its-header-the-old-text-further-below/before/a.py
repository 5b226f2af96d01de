def f():
    try:
        total = compute(1)
        return 1

def g():
    try:
        return 1

mid()
last(2)
