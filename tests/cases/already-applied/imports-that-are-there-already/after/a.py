import os
from shop import cart, basket
from shop import tax
from shop import cart, basket
from shop import tax
import sys

print(cart)
