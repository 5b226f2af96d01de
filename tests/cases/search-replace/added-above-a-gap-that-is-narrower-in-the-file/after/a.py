try:
    import a
except ImportError:
    a = None
    c = None

try:
    import b
except ImportError:
    b = None
