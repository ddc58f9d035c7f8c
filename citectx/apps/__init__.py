"""What stands on top of the methods: tools for anybody's papers, viewer, shared task, site,
README.
"""
