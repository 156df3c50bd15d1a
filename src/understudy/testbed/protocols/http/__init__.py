"""HTTP: a case becomes a request to its route, and the response is judged by status, headers, text and JSON."""
