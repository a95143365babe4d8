"""API dialects of model providers: parsing of requests and of streamed or whole responses."""
