def total(cart):
    rate = 2
    result = cart.sum * rate
    result = cart.sum * rate
    return result
