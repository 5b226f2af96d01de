say("hi")
