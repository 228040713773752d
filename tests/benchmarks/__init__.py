"""Figures for people, each against a goal; each ``bench_`` file is a program."""
