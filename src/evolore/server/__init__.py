"""The server: the API, background jobs and the pages, in one process on one store."""
