say("Loading all of your data from the server")
