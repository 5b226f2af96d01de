s = """
run me
"""
