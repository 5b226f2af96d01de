"""Helpers that tests share: trees on a disk, patches as models spoil them, damaged sources, clients of the server."""
