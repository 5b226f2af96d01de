def compare(a, b):
    if a < b:
        return -1
    return 0


def label(s):
    return s.replace(LT, "&lt;")
