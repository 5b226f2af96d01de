int V::get() const
{
    return v_;
}
