@given("a cart")
def step(context):
    context.cart = []


@when("it is paid")
def step(context):
    context.paid = True
