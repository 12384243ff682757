"""Each engine, run for real on this machine, gives the rows that this process gives."""
