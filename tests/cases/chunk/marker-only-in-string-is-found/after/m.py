s = """
run you
"""
