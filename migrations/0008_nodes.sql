-- Fair shares between users, and what nodes know about each other.

-- Which processes run, and with which roles, so that a node notices that no checker or no worker is left. A process has one row for each
-- kind of work that it claims, and these rows share its process_id. Both columns are null in rows of earlier versions.
alter table nodes
  add column process_id bigint,
  add column roles text[];

-- A node claims a fair share of each user's due checks. This index finds the next ones of a user, however many another user
-- has. It contains neither claimed checks (infinity) nor paused monitors (null), so a check writes only one entry.
create index monitor_states_user_due_idx on monitor_states (user_id, due_at) where due_at < 'infinity';

-- New cause: the body of the response was incomplete or malformed.
alter table incidents
  drop constraint incidents_cause_check,
  add constraint incidents_cause_check check (
    cause in ('dns', 'connect', 'tls', 'timeout', 'http_status', 'keyword', 'redirect', 'ping', 'blocked', 'body')
  );
