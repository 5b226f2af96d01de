try:
    import a
except ImportError:
    a = None

try:
    import b
except ImportError:
    b = None
