"""Whatever carries a plan out, tries it or takes it back: its steps, its log, its changes."""
