x.run()
  .stop()
