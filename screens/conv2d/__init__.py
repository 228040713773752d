"""The sixth step: Conv2d measured shape by shape, its options and its views."""
