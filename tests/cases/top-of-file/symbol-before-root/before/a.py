#!/usr/bin/env python
x = 1
