a changed
