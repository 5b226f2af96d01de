@given("a cart")
def step(context):
    context.cart = []
