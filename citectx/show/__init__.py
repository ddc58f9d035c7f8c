"""What notebooks use to show things: highlighted text, figures, lessons."""
