"""The memory estimator: pure functions of a model, a layout and a profile's constants. Reads no evidence."""
