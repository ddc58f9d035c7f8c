"""What stands on top of the methods: anybody's papers, shared task."""
