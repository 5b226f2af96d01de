#!/usr/bin/env python3
import sys
import os

print(os)
