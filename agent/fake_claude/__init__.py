"""A loopback server with the Messages API and made-up answers, to try play with a model without a key."""
