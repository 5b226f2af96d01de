say("“Hi”, she said")
