CREATE TABLE understudy_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT understudy_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE runs (
	id TEXT NOT NULL, 
	project TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	finished_at TEXT NOT NULL, 
	stopped TEXT NOT NULL, 
	summary JSON NOT NULL, 
	"plan" JSON NOT NULL, environment TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE outcomes (
	run_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	case_id TEXT NOT NULL, 
	act TEXT NOT NULL, 
	name TEXT NOT NULL, 
	status TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	parent TEXT NOT NULL, 
	duration_ms DOUBLE NOT NULL, 
	record JSON NOT NULL, known BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (run_id, position)
);
CREATE TABLE execution_log (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	entry_id TEXT NOT NULL, 
	context_id TEXT NOT NULL, 
	parent_context_id TEXT, 
	initiated_by TEXT NOT NULL, 
	domain TEXT NOT NULL, 
	workspace_id TEXT NOT NULL, 
	trust_level TEXT NOT NULL, 
	policy_set TEXT NOT NULL, 
	is_replay BOOLEAN NOT NULL, 
	subject TEXT NOT NULL, 
	operation TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	target_ref TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	units BIGINT NOT NULL, 
	status TEXT NOT NULL, 
	recorded_at TEXT NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT execution_log_entry_id UNIQUE (entry_id)
);
CREATE TABLE security_events (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	event_id TEXT NOT NULL, 
	context_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	claimed TEXT NOT NULL, 
	actual TEXT NOT NULL, 
	recorded_at TEXT NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT security_events_event_id UNIQUE (event_id)
);
CREATE TABLE agent_actions (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	action_id TEXT NOT NULL, 
	agent_id TEXT NOT NULL, 
	action_type TEXT NOT NULL, 
	target_ref TEXT NOT NULL, 
	impact_level TEXT NOT NULL, 
	trust_level TEXT NOT NULL, 
	status TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	arguments_hash TEXT NOT NULL, 
	review_id TEXT, 
	reviewed_by TEXT, 
	context_id TEXT, 
	recorded_at TEXT NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT agent_actions_action_id UNIQUE (action_id)
);
CREATE TABLE reviews (
	id TEXT NOT NULL, 
	item_type TEXT NOT NULL, 
	payload JSON NOT NULL, 
	submitter TEXT NOT NULL, 
	priority TEXT NOT NULL, 
	status TEXT NOT NULL, 
	submitted_at TEXT NOT NULL, 
	expires_at TEXT, 
	reviewed_at TEXT, 
	reviewed_by TEXT, 
	reason TEXT NOT NULL, 
	binding TEXT NOT NULL, 
	used_at TEXT, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE review_events (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	event_id TEXT NOT NULL, 
	review_id TEXT NOT NULL, 
	event TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	at TEXT NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT review_events_event_id UNIQUE (event_id)
);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE INDEX ix_execution_log_recorded_at ON execution_log (recorded_at);
CREATE INDEX ix_security_events_recorded_at ON security_events (recorded_at);
CREATE INDEX ix_agent_actions_recorded_at ON agent_actions (recorded_at);
CREATE INDEX ix_reviews_status ON reviews (status);
CREATE INDEX ix_outcomes_case_id ON outcomes (case_id);
CREATE INDEX ix_execution_log_context_id ON execution_log (context_id);
CREATE INDEX ix_security_events_context_id ON security_events (context_id);
CREATE INDEX ix_agent_actions_agent_id ON agent_actions (agent_id);
CREATE INDEX ix_review_events_review_id ON review_events (review_id);
INSERT INTO understudy_version (version_num) VALUES ('0002');
