"""Networks as terms with symbols: written once, then counted, given gates, written out."""
