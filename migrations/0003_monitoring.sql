-- Monitors, what happened to them, and who is told.

create table monitors (
  id bigint generated always as identity,
  user_id bigint not null references users on delete cascade,
  friendly_name text not null check (length(friendly_name) between 1 and 100),
  url text not null,
  type text not null check (type in ('http', 'ping')),
  interval_seconds integer not null check (interval_seconds between 5 and 86400),
  -- null: follows the interval
  timeout_seconds integer check (timeout_seconds between 1 and least(60, interval_seconds)),
  retries integer not null check (retries between 0 and 10),
  retry_interval_seconds integer not null check (retry_interval_seconds between 1 and 3600),
  remind_every_minutes integer not null check (remind_every_minutes between 0 and 1440),
  -- How to ask, and what to expect. Without the headers, whose values are secrets and stand encrypted beside it.
  http jsonb,
  http_headers bytea,
  -- paused is what the API calls not active
  status text not null check (status in ('pending', 'up', 'down', 'paused')),
  status_changed_at timestamptz not null,
  -- Name and url, in small letters: what a search looks through.
  search_text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint monitors_http_check check ((type = 'http') = (http is not null)),
  primary key (user_id, id)
);
-- A page of the list with each of its filters; without one the primary key serves.
create index monitors_user_id_status_id_idx on monitors (user_id, status, id);
create index monitors_user_id_type_id_idx on monitors (user_id, type, id);

-- What the last check found, apart from the monitor: it changes with every check, and a narrow row is cheap to write.
create table monitor_states (
  user_id bigint not null,
  monitor_id bigint not null,
  last_checked_at timestamptz not null,
  last_response_ms integer,
  last_error text,
  tls_expires_at timestamptz,
  primary key (user_id, monitor_id),
  foreign key (user_id, monitor_id) references monitors on delete cascade
) with (fillfactor = 70);

-- When a monitor was watched: from its first verdict until it was paused, became one of another type, or could not be
-- checked. Uptime is a share of this time. The clocks of two nodes differ a little: whoever writes an end, here and in
-- incidents, takes the later of both times.
create table watches (
  user_id bigint not null,
  monitor_id bigint not null,
  started_at timestamptz not null,
  ended_at timestamptz check (ended_at >= started_at),
  primary key (user_id, monitor_id, started_at),
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
create unique index watches_open_key on watches (user_id, monitor_id) where ended_at is null;

create table incidents (
  id bigint generated always as identity,
  user_id bigint not null,
  monitor_id bigint not null,
  cause text not null check (
    cause in ('dns', 'connect', 'tls', 'timeout', 'http_status', 'keyword', 'redirect', 'ping', 'blocked')
  ),
  detail text not null,
  -- The first failed check, and the one that confirmed it.
  started_at timestamptz not null,
  detected_at timestamptz not null check (detected_at >= started_at),
  resolved_at timestamptz check (resolved_at >= started_at),
  resolution text check (resolution in ('recovered', 'paused')),
  constraint incidents_end_check check ((resolved_at is null) = (resolution is null)),
  primary key (user_id, monitor_id, id),
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
-- A monitor is down once at a time.
create unique index incidents_open_key on incidents (user_id, monitor_id) where resolved_at is null;
-- Those that reach into a window are the ones that end in it, after it or not at all. Written with CASE, because PostgreSQL
-- takes COALESCE for something that may leak, and does not look in an index for it before the policy is applied.
create index incidents_end_idx on incidents
  (user_id, monitor_id, (case when resolved_at is null then 'infinity' else resolved_at end));

create table providers (
  id bigint generated always as identity,
  user_id bigint not null references users on delete cascade,
  provider_type text not null,
  name text check (length(name) between 1 and 100),
  assign_by_default boolean not null,
  settings jsonb not null,
  -- Encrypted: a JSON object of the fields that are never returned; null where the kind has none.
  secrets bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, id)
);

create table assignments (
  user_id bigint not null,
  monitor_id bigint not null,
  provider_id bigint not null,
  enabled boolean not null,
  created_at timestamptz not null,
  primary key (user_id, monitor_id, provider_id),
  -- Both are the user's own, or there is no such row.
  constraint assignments_monitor_fkey foreign key (user_id, monitor_id) references monitors on delete cascade,
  constraint assignments_provider_fkey foreign key (user_id, provider_id) references providers on delete cascade
);
create index assignments_user_id_provider_id_idx on assignments (user_id, provider_id);

-- Text messages cost money, so they are counted here and not in memory.
create table sms_days (
  user_id bigint not null references users on delete cascade,
  day date not null,
  sent integer not null,
  primary key (user_id, day)
);

-- How many monitors a user has: a page of the list should not count ten thousand.
create table monitor_counts (
  user_id bigint primary key references users on delete cascade,
  total integer not null
);

-- Once a statement and not once a row, so that many at once cost one update of the count.

create function note_added_monitors() returns trigger
language plpgsql
as $$
begin
  insert into monitor_counts as counts (user_id, total)
  select user_id, count(*) from added group by user_id
  on conflict (user_id) do update set total = counts.total + excluded.total;
  return null;
end
$$;
create trigger note_added after insert on monitors referencing new table as added
  for each statement execute function note_added_monitors();

create function note_removed_monitors() returns trigger
language plpgsql
as $$
begin
  update monitor_counts counts set total = counts.total - gone.total
    from (select user_id, count(*) as total from removed group by user_id) gone
   where counts.user_id = gone.user_id;
  return null;
end
$$;
create trigger note_removed after delete on monitors referencing old table as removed
  for each statement execute function note_removed_monitors();
