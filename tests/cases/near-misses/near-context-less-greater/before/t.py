if left > right:
    swap(left, right)
