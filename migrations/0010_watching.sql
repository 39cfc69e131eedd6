-- More types of monitors, tags, maintenances, and fewer messages during an outage.

-- The schema version that the node's code knows. null: an earlier version, which would ping monitors of types that it doesn't know.
alter table nodes
  add column schema_version smallint;

alter table monitors
  drop constraint monitors_type_check,
  add constraint monitors_type_check
    check (type in ('http', 'ping', 'tcp', 'dns', 'tls', 'domain', 'heartbeat')),
  -- The settings of the types tcp, dns, tls, domain and heartbeat. Type http has the column `http` instead.
  add column options jsonb,
  add constraint monitors_options_check check ((type in ('http', 'ping')) = (options is null)),
  -- The tags as the user wrote them, and folded to one case for comparison.
  add column tags text[] not null default '{}',
  add column tag_keys text[] not null default '{}',
  -- Another monitor. While it is down, the incidents of this monitor are not announced.
  add column depends_on bigint,
  add constraint monitors_depends_on_fkey
    foreign key (user_id, depends_on) references monitors (user_id, id) on delete set null (depends_on),
  add constraint monitors_depends_on_check check (depends_on <> id),
  -- Type heartbeat: the encrypted token of the URL, and its hash, which identifies the monitor of a beat.
  add column beat_token bytea,
  add column beat_hash bytea,
  add constraint monitors_beat_check
    check ((type = 'heartbeat') = (beat_token is not null) and (beat_token is null) = (beat_hash is null)),
  -- The end of the maintenance in progress. null: none. May be in the past until the worker has ended the maintenance.
  add column maintenance_until timestamptz;
create unique index monitors_beat_hash_key on monitors (beat_hash) where beat_hash is not null;
create index monitors_maintenance_idx on monitors (user_id) where maintenance_until is not null;
create index monitors_depends_on_idx on monitors (user_id, depends_on) where depends_on is not null;

alter table websites
  add column tags text[] not null default '{}',
  add column tag_keys text[] not null default '{}';

alter table users
  -- Whether several alerts within a minute are combined into one message.
  add column group_alerts boolean not null default true;

alter table assignments
  -- The channel gets alerts only if the incident is still open after this many minutes.
  add column delay_minutes integer not null default 0 check (delay_minutes between 0 and 1440);

alter table incidents
  drop constraint incidents_cause_check,
  add constraint incidents_cause_check check (
    cause in (
      'dns', 'connect', 'tls', 'timeout', 'http_status', 'keyword', 'redirect', 'ping', 'blocked', 'body',
      'slow', 'json', 'tcp', 'certificate', 'domain', 'heartbeat_missed', 'heartbeat_failed'
    )
  ),
  add column during_maintenance boolean not null default false,
  -- The monitor that this one depends on, and its incident, if that monitor was down when this incident opened.
  add column parent_monitor_id bigint,
  add column parent_incident_id bigint,
  -- When alerts about the incident were created. null: not yet, because of a maintenance or the parent. Nodes of earlier versions
  -- create the alerts together with the incident and don't know this column. The default is for them.
  add column announced_at timestamptz default now();
-- Open incidents that are not announced yet.
create index incidents_unannounced_idx on incidents (user_id, monitor_id) where resolved_at is null and announced_at is null;

alter table alerts
  drop constraint alerts_state_check,
  -- skipped: not sent, because its reason ended within `delay_minutes`, such as an incident that was resolved
  add constraint alerts_state_check check (state in ('waiting', 'sent', 'failed', 'skipped')),
  -- The message that contains this alert and others; null if the alert has a message of its own.
  add column group_id uuid,
  -- Not sent before this time, because of the assignment's delay or a maintenance. null: not delayed, or the delay has ended.
  add column delayed_until timestamptz;
create index alerts_group_idx on alerts (user_id, group_id) where group_id is not null;
create index alerts_delayed_idx on alerts (user_id, provider_id, delayed_until) where state = 'waiting' and delayed_until is not null;

alter table providers
  -- When the last message about an incident was sent, and about which monitor; null if it was about several.
  add column last_sent_at timestamptz,
  add column last_sent_monitor_id bigint;

-- Planned work on monitors. The times are in `maintenance_windows`.
create table maintenances (
  id bigint generated always as identity,
  user_id bigint not null references users on delete cascade,
  title text not null check (length(title) between 1 and 100),
  note text,
  -- When windows begin and how long they last. All null for a maintenance with a single window; otherwise only recurs_until can be null.
  cron text,
  time_zone text,
  duration_seconds integer check (duration_seconds > 0),
  recurs_until timestamptz,
  all_monitors boolean not null,
  tags text[] not null,
  tag_keys text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint maintenances_recurrence_check
    check ((cron is null) = (time_zone is null) and (cron is null) = (duration_seconds is null)
           and (cron is not null or recurs_until is null)),
  primary key (user_id, id)
);

create table maintenance_monitors (
  user_id bigint not null,
  maintenance_id bigint not null,
  monitor_id bigint not null,
  primary key (user_id, maintenance_id, monitor_id),
  foreign key (user_id, maintenance_id) references maintenances on delete cascade,
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
create index maintenance_monitors_monitor_idx on maintenance_monitors (user_id, monitor_id);

-- The windows of maintenances: past ones, the running one and the next one.
create table maintenance_windows (
  user_id bigint not null,
  maintenance_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at >= starts_at),
  state text not null check (state in ('scheduled', 'active', 'past')),
  primary key (user_id, maintenance_id, starts_at),
  foreign key (user_id, maintenance_id) references maintenances on delete cascade
);
-- Finds the windows whose start or end the worker has to handle.
create index maintenance_windows_edge_idx on maintenance_windows
  ((case state when 'scheduled' then starts_at else ends_at end)) where state <> 'past';
create index maintenance_windows_open_idx on maintenance_windows (user_id) where state <> 'past';
-- Finds the windows that contain a time.
create index maintenance_windows_user_idx on maintenance_windows (user_id, ends_at);

-- Received beats that are not processed yet. A beat is answered once its row is committed. There is no foreign key, because checking it
-- would take longer than the insert. The worker deletes rows whose monitor was deleted or paused.
create table beat_inbox (
  user_id bigint not null,
  monitor_id bigint not null,
  id bigint generated always as identity,
  received_at timestamptz not null,
  -- alive: a plain beat; start: a run begins; finish: a run ended
  kind text not null check (kind in ('alive', 'start', 'finish')),
  -- null: the beat reported none
  exit_code smallint,
  is_failure boolean not null,
  output text,
  primary key (user_id, monitor_id, id)
);

-- The last time at which a node was able to store beats, and the last period in which no node was. Not part of backups: after a
-- restore, the times would be those of another server.
create table beat_reception (
  only_row boolean primary key default true check (only_row),
  receiving_until timestamptz not null,
  outage_from timestamptz,
  outage_until timestamptz
);

alter table monitor_states
  -- When to repeat the check that a node is running, because a beat has arrived in the meantime.
  add column recheck_at timestamptz;

-- What is known about the runs of a heartbeat.
create table heartbeats (
  user_id bigint not null,
  monitor_id bigint not null,
  -- The last beat other than `start`.
  last_beat_at timestamptz,
  -- Start of the run in progress; null if none is known.
  run_started_at timestamptz,
  -- If this is later than last_beat_at, the next beat is expected relative to this time: beats before it may have been lost, or the
  -- schedule was changed then.
  expected_from timestamptz,
  -- The schedule when beats were last processed.
  schedule text not null,
  last_output text,
  last_output_at timestamptz,
  primary key (user_id, monitor_id),
  foreign key (user_id, monitor_id) references monitors on delete cascade
);

-- The latest beats of each heartbeat.
create table beats (
  user_id bigint not null,
  monitor_id bigint not null,
  -- The id that the beat had in beat_inbox.
  id bigint not null,
  received_at timestamptz not null,
  kind text not null,
  exit_code smallint,
  is_failure boolean not null,
  -- From the start of the run to its end.
  duration_ms bigint,
  primary key (user_id, monitor_id, id),
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
