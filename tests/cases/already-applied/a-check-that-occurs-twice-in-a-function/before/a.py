def run(item):
    mark = item.get(None)
    if mark is None:
        mark = evaluate(item)
    yield
    done(mark)
