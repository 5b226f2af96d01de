if a <= b and "q\n" in c:
    stay()
