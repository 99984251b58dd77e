"""Values and pure rules that every layer shares; nothing here knows where it is stored or shown."""
