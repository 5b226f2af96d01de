def f():
    added = []
    unchanged = []
    removed = []
    return added, removed
