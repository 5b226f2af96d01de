def pay(cart):
    if cart.items:
        charge(cart.total)
    cart.clear()
