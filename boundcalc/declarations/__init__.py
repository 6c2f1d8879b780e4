"""What a construction says about itself."""
