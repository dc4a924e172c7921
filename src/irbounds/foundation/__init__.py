"""What every part stands on: errors, arguments, quadrature, laws of random quantities, frames."""
