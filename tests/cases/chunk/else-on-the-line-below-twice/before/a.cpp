if (a)
{
  x();
}
else
{
  y();
}
