from cart import total


def test_one():
    assert total([1]) == 1


def test_empty():
    assert total([]) == 0
