int A::get() const
{
    return v;
}

int other;
