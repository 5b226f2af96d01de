int f()
{
  go();
}
