"""Routes of the API, a file a subject; each makes a request of the memory and returns its result."""
