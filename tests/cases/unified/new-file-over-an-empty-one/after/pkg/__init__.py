NAME = "cart"
