"""Pictures of a bound: what is drawn (picture.py), in which words (caption.py), and how (drawing.py)."""
