e(int,
	arg)
  THROW;

f(int,
	arg)
  THROW;
