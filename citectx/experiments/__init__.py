"""What all tables share: topics made ready, tuning, means with intervals, files of results."""
