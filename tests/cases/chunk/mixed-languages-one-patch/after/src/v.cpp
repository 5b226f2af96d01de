int V::get() const
{
    return 42;
}
