def esc(s):
    return s
