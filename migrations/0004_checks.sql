-- Checks that really happen: when, by whom, what they found, and whom it is said to.

-- Processes that take work for a while. What one of them holds is its own for as long as it is seen. After a crash of
-- PostgreSQL there are none, and nothing is anybody's; ids are drawn by lot, so that no later one is taken for an earlier one.
create unlogged table nodes (
  id bigint primary key,
  seen_at timestamptz not null
);

-- A state now comes with its monitor and says when the next check is due. It is one row with what the last check found,
-- because every check changes both.
alter table monitor_states
  alter column last_checked_at drop not null,
  -- null: paused; infinity: the node in claimed_by is at it
  add column due_at timestamptz,
  add column claimed_by bigint,
  -- Since when a check is due that has not been done; null when the last one was. It outlives claims that come to nothing.
  add column waiting_since timestamptz,
  -- Another one each time that a check begins or that what is checked changes: a result of an earlier one counts no more.
  add column claim integer not null default 0,
  -- Failed checks in a row, and the first of them.
  add column failures integer not null default 0,
  add column failing_since timestamptz,
  -- How many days ahead we last warned of tls_expires_at.
  add column tls_warned_days smallint,
  add constraint monitor_states_claim_check check (claimed_by is null or due_at = 'infinity');

insert into monitor_states (user_id, monitor_id) select user_id, id from monitors on conflict do nothing;
update monitor_states s set due_at = now()
  from monitors m where m.user_id = s.user_id and m.id = s.monitor_id and m.status <> 'paused';
-- Not led by the user: whoever looks for work looks across all of them.
create index monitor_states_due_idx on monitor_states (due_at) where due_at is not null;

-- Every single check, for about a day, in partitions of an hour that are made and dropped as time goes by. Without a
-- reference to its monitor, which would double the cost of a row: what is left of a deleted one goes with its partition.
create table checks (
  user_id bigint not null,
  monitor_id bigint not null,
  checked_at timestamptz not null,
  -- null: it was fine
  cause text,
  detail text,
  response_ms integer,
  -- Of response_ms, in the histograms below.
  bucket smallint,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  http_status smallint,
  packet_loss smallint
) partition by range (checked_at);
create index checks_monitor_idx on checks (user_id, monitor_id, checked_at);
-- Whatever no other partition takes: a result is never lost because a partition was not made in time.
create table checks_other partition of checks default;

-- What they come to, by the hour and by the day (of UTC). counts[n] response times fell into the bucket buckets[n].
create table check_hours (
  user_id bigint not null,
  monitor_id bigint not null,
  starts_at timestamptz not null,
  total integer not null,
  failed integer not null,
  sum_ms bigint not null,
  buckets smallint[] not null,
  counts integer[] not null,
  primary key (user_id, monitor_id, starts_at),
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
create table check_days (
  like check_hours,
  primary key (user_id, monitor_id, starts_at),
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
-- How far checks have been added up to hours, and hours to days: until when, and of what follows up to which monitor.
-- Whoever adds up holds the row.
create table rollups (
  period text primary key check (period in ('hour', 'day')),
  done_until timestamptz not null,
  after_user_id bigint not null default 0,
  after_monitor_id bigint not null default 0
);
insert into rollups (period, done_until) values ('hour', 'epoch'), ('day', 'epoch');

alter table incidents
  -- When the next reminder is due, and how many there were.
  add column remind_at timestamptz,
  add column reminders integer not null default 0;
create index incidents_remind_idx on incidents (remind_at) where resolved_at is null and remind_at is not null;

-- What has to be said, to whom, and what became of it. Written together with what it is about.
create table alerts (
  id bigint generated always as identity,
  user_id bigint not null,
  monitor_id bigint not null,
  provider_id bigint not null,
  event text not null check (event in ('down', 'recovered', 'reminder', 'certificate')),
  -- null where it is about a certificate
  incident_id bigint,
  -- Which of several: the number of a reminder; the end of a certificate and how many days ahead of it.
  occurrence text not null default '',
  -- The same for every attempt, so that a repeat can be told.
  message_id uuid not null default gen_random_uuid(),
  title text not null,
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  -- null once nothing more is tried
  next_attempt_at timestamptz,
  last_attempt_at timestamptz,
  -- What came back last.
  answer text,
  constraint alerts_attempt_check check ((state = 'waiting') = (next_attempt_at is not null)),
  primary key (user_id, id),
  foreign key (user_id, monitor_id) references monitors on delete cascade,
  foreign key (user_id, provider_id) references providers on delete cascade
);
-- Each is decided once.
create unique index alerts_once_key on alerts (user_id, monitor_id, event, incident_id, occurrence, provider_id)
  nulls not distinct;
create index alerts_monitor_idx on alerts (user_id, monitor_id, id);
-- The queue of a provider, whatever is due longest first, and within it that of a monitor.
create index alerts_waiting_idx on alerts (user_id, provider_id, next_attempt_at, id) where state = 'waiting';
create index alerts_order_idx on alerts (user_id, monitor_id, provider_id, id) where state = 'waiting';
create index alerts_user_id_provider_id_idx on alerts (user_id, provider_id);
-- Rows come in order of time: a small index finds the oldest.
create index alerts_created_at_idx on alerts using brin (created_at);

alter table providers
  -- What its last message failed with for good; null once one was taken again.
  add column failure text,
  add column failed_at timestamptz,
  -- The node that sends what waits for it: one at a time, so that its messages keep their order.
  add column claimed_by bigint,
  -- Messages that failed since one was taken, and how long it is left alone because of them.
  add column failed_in_a_row integer not null default 0,
  add column rests_until timestamptz,
  add constraint providers_failure_check check ((failure is null) = (failed_at is null));
create index providers_claimed_by_idx on providers (claimed_by) where claimed_by is not null;
