"""Approval flows of real agent frameworks, each driven by a scripted model; a framework is imported with its module."""
