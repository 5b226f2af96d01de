import os
from shop import cart, basket
from shop import tax
import sum_all
import sys

print(cart)
