#!/usr/bin/env python
import os
x = 1
