# Copyright 2024 X
import os

print(os)
