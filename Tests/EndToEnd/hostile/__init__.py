"""Attacks that are known, each as a program, and an honest client beside it that is measured."""
