if a:
    stop()
    clear()
if b:
    stop()
  clear()
