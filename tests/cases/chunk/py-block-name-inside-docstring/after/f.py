"""
def f():
    sample
"""
def f():
    b()
