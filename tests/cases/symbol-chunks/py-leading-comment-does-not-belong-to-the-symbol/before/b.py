class Box:
    # width of the box
    @property
    def width(self):
        """Width."""
        return self._w

    @width.setter
    def width(self, v):
        if v < 0:
            raise ValueError(v)
        self._w = v
