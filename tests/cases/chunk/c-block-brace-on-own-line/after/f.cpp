int A::get() const
{
    return 42;
}

int other;
