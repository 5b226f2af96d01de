"""Where the lines of a patch stand in a file, which place is meant, and the splices that come of it. Pure."""
