"""OpenTelemetry: spans of requests, recalls and jobs, through whatever SDK the process has set up."""
