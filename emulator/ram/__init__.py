"""RAM as frozen records: pure functions from bytes to what they mean, a topic a file."""
