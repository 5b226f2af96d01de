# Copyright 2023 X
import os

print(os)
