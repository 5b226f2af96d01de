class A:
    limit_value = 1
    other = 3
