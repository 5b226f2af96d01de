"""The page: a review in the browser, served on loopback, or written as a file to look at. Needs anypatch[review]."""
