"""Where a patch lands: rungs, candidates, placement, fitting, nearest places, paths. Knows no format and no disk."""
