"""What stands on top of the methods: anybody's papers, viewer, shared task."""
