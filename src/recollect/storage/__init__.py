"""What database adapters share, without I/O: row encoding, BM25, quantization, audit chain."""
