"""The memory exam: questions about recorded games whose answers RAM knows, put to a memory that cannot look."""
