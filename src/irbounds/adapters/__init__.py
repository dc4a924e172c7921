"""Functions with the signatures of other libraries and exact values under ties: change only the
import."""
