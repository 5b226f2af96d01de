xy
