"""Between the public contract and the domain: protobuf and JSON in, protobuf and JSON out. Knows no transport."""
