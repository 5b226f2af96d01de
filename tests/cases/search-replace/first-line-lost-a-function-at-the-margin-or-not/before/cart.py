def total(prices):
    return sum(prices
               if prices else ())
