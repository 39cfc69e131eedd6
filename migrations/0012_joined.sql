-- Traffic joined with uptime: the host of each visit, what an incident cost, and alerts about silence and spikes.

alter table visits
  -- The host that the visit began on, as an id of traffic_values. null: an earlier version counted the visit.
  add column hostname integer;
-- Counts the visits that began in a short time, such as during an incident.
create index visits_started_idx on visits (website_id, started_at) include (hostname);
-- Later events update their visit. With free space on its page, PostgreSQL updates the row without touching the indexes.
-- src/traffic/retention/partitions-store.ts does the same for new months.
do $$
declare
  visits_partition regclass;
begin
  for visits_partition in select inhrelid::regclass from pg_inherits where inhparent = 'visits'::regclass loop
    execute format('alter table %s set (fillfactor = 80)', visits_partition);
  end loop;
end
$$;

alter table traffic_days
  add column hostname text,
  -- Visits begun per host and 5 minutes. src/traffic/model/visit-slots.ts has the format. null: not counted yet.
  add column visit_slots text;
alter table traffic_days
  alter column visit_slots set storage external;
alter table traffic_weeks
  add column hostname text;
-- Packed days of earlier versions, whose visits are not counted per 5 minutes yet.
create index traffic_days_uncounted_idx on traffic_days (day)
  where is_packed and visit_slots is null and visits > 0;

-- Periods in which no node could store events, so that missing visits mean nothing. The job 'record that beats can be received' writes them.
create table collection_gaps (
  started_at timestamptz primary key,
  ended_at timestamptz not null check (ended_at > started_at)
);

alter table users
  -- How many false alarms a year the silence watches of all websites of the user may cause together.
  add column silence_alarms_a_year numeric(4, 2) not null default 1 check (silence_alarms_a_year between 0.1 and 12);

alter table websites
  -- Whether an incident opens when visits stop.
  add column watch_traffic boolean not null default false,
  -- Whether an alert is sent when unusually many visitors arrive.
  add column watch_spikes boolean not null default false;

alter table monitors
  drop constraint monitors_type_check,
  add constraint monitors_type_check
    check (type in ('http', 'ping', 'tcp', 'dns', 'tls', 'domain', 'heartbeat', 'traffic')),
  drop constraint monitors_options_check,
  add constraint monitors_options_check check ((type in ('http', 'ping', 'traffic')) = (options is null)),
  -- Type traffic: the website that it watches.
  add column website_id bigint,
  add constraint monitors_website_fkey
    foreign key (user_id, website_id) references websites (user_id, id) on delete cascade,
  add constraint monitors_website_check check ((type = 'traffic') = (website_id is not null));
create unique index monitors_website_key on monitors (user_id, website_id) where website_id is not null;

-- Deleting the monitor of a website turns its watches off.
create function stop_traffic_watch() returns trigger
language plpgsql
as $$
begin
  update websites set watch_traffic = false, watch_spikes = false
   where user_id = old.user_id and id = old.website_id and (watch_traffic or watch_spikes);
  return null;
end
$$;
create trigger stop_traffic_watch after delete on monitors
  for each row when (old.website_id is not null) execute function stop_traffic_watch();

-- What the silence watch of a website knows. Rebuilt from the traffic if it is missing.
create table traffic_watches (
  user_id bigint not null,
  website_id bigint not null,
  -- The result of fitSilence (src/impact/silence/silence.ts), and when it was computed. null: not yet, or too little history.
  fit jsonb,
  fitted_at timestamptz,
  -- Set while the gap since the last visit is too long: the last visit, and when the gap became too long.
  last_visit_at timestamptz,
  silent_since timestamptz,
  -- Whether the home page contained the tracker while visits arrived. Not every website loads it there. null: not known.
  has_snippet boolean,
  -- The local day of the last alert about a spike.
  spike_day date,
  primary key (user_id, website_id),
  foreign key (user_id, website_id) references websites (user_id, id) on delete cascade
);

alter table incidents
  drop constraint incidents_cause_check,
  add constraint incidents_cause_check check (
    cause in (
      'dns', 'connect', 'tls', 'timeout', 'http_status', 'keyword', 'redirect', 'ping', 'blocked', 'body',
      'slow', 'json', 'tcp', 'certificate', 'domain', 'heartbeat_missed', 'heartbeat_failed', 'silence'
    )
  ),
  -- What the incident cost, as in the API. null: not measured yet, or no website belongs to the monitor.
  add column impact jsonb,
  -- Whether visitors confirm the incident.
  add column visitors text check (visitors in ('gone', 'normal', 'unknown')),
  -- Cause silence: why no visits arrive.
  add column diagnosis text check (diagnosis in ('snippet_missing', 'collector', 'site_down', 'site_silent')),
  -- When the impact was last measured. null: not since the diagnosis changed, or never.
  add column measured_at timestamptz,
  -- When to measure the impact next. null: it is final. Nodes of earlier versions don't know this column. The default is for them.
  add column measure_at timestamptz;
alter table incidents alter column measure_at set default now();
-- Incidents of the last year are measured, too, once the visits of their days are counted.
update incidents set measure_at = now() where resolved_at is null or resolved_at > now() - interval '1 year';
create index incidents_measure_idx on incidents (measure_at) where measure_at is not null;

alter table alerts
  drop constraint alerts_event_check,
  add constraint alerts_event_check check (event in ('down', 'recovered', 'reminder', 'certificate', 'spike')),
  -- Event spike: the figures of the message.
  add column details jsonb;
