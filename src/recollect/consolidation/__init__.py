"""Do we know it already? New facts join, known ones grow."""
