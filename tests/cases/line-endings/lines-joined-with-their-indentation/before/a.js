x
  .go()
  .stop()
