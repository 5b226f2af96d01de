say("Loading all of your data...")
