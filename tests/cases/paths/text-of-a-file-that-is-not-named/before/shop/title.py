def title(items):
    return "items"
