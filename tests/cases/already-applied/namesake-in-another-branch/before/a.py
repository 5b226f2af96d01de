try:
    import json

    def load(text):
        return json.loads(text)
except ImportError:
    json = None
