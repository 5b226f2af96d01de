"""What formats share in reading: fences, paths, YAML and JSON as models write them, marks for left-out code."""
