q = """one"""
q = ""
