"""OpenTelemetry spans of requests, recalls and jobs, exported by the SDK that the host process configures."""
