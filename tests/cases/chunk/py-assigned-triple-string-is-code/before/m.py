q = """one"""
q = """two"""
