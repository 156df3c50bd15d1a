"""GraphQL over HTTP: operations by POST, subscriptions by GET as a finite stream of events."""
