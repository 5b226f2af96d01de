import pytest

from cart import total


def test_one():
    assert total([1]) == 1


def test_two():
    assert total([1, 2]) == 3


def test_many():
    assert total(range(5)) == 10
