def f(x):
    # ... existing code ...
    b = 2
    return a + b
