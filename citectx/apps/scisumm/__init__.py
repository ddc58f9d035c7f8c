"""CL-SciSumm, Task 1a: a shared task on the contexts of citations."""
