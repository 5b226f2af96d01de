def usage():
    text = """
Usage: tool [options]

  def fake():
"""
    print(text)
    return 2


def main():
    print(text)
    return 2
