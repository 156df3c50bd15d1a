"""WebSocket routes: handed to the runner that the options bring, skipped without one."""
