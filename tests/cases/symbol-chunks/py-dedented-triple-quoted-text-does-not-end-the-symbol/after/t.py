def usage():
    text = """
Usage: tool [options]

  def fake():
"""
    print(text)
    return 64


def main():
    print(text)
    return 2
