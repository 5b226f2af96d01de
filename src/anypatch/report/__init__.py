"""Reports as words for people, words for models, and plain values for JSON. Pure: prints nothing, touches nothing.

Every piece of text that came from a patch or a file goes through `paint(style, text)`, so that the caller decides
on colours and on what a terminal may be shown. Styles: "", good, bad, dim, strong, path, add, remove, hunk.
"""
