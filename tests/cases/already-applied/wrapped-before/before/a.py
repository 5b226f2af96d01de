if ready:
    total = load()
x = 1
