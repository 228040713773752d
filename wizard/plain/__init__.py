"""The wizard as a conversation in plain lines: numbered choices, and our commands behind them."""
