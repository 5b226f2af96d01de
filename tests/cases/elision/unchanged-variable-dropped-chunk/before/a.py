def f():
    added = []
    kept = []
    removed = []
    return added, removed
