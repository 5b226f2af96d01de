def total(cart):
    rate = 1
    result = cart.sum * rate
    return result
