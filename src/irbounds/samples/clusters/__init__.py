"""Samples of clusters of documents, such as families, that were drawn and assessed whole."""
