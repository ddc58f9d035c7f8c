"""What the experiments of all papers share: preparing, tuning, measuring and reporting.

The tables themselves are in `citectx.papers`, one file each.
"""
