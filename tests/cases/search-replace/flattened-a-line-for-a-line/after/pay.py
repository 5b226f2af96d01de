def pay(cart):
    if cart.items:
        charge(cart.total, now=True)
    cart.clear()
