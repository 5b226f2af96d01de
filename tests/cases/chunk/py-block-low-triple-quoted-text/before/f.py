def f():
    s = """
low text
"""
    return s

x = 1
