"""Find the lines of a patch in a file, choose the intended place, and make the splices that change it. Pure."""
