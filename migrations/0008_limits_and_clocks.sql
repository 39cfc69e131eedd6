-- What nodes have to agree on: limits, clocks, and which of them run.

-- Which processes run, and with which roles, so that a node notices that no checker or no worker is left. A process has one row for each
-- kind of work that it claims, and these rows share its process_id. Both columns are null in rows of earlier versions.
alter table nodes
  add column process_id bigint,
  add column roles text[];
