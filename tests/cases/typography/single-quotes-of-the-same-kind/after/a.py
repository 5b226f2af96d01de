print('its', "x")
