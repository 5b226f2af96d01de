def usage():
    text = """
Usage: tool [options] FILE

  def fake():
"""
    print(text)
    return 2


def main():
    print(text)
    return 2
