"""
def f():
    sample
"""
def f():
    a()
