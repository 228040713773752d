"""Windows over a step: texts, questions, explanations, the command palette."""
