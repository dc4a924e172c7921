"""Bounds of differences over the labels of unjudged documents."""
