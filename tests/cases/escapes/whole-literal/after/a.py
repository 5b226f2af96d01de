def esc(s):
    return s.replace("&", "&amp;")
