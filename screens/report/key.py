"""The key that shows a report, apart from what shows it: that takes long to load."""

from textual.binding import Binding

REPORT_KEY = Binding("p", "report", "Report")
QUIET_REPORT_KEY = Binding("p", "report", "Report", show=False)
"""Where the line of keys is full."""
