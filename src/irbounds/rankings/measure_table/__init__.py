"""The ranking measures: names, parameters and the table of all."""
