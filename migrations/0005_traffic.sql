-- Who visits: events on their way, events and visits, and what they come to day by day.
-- docs/decisions/0011-traffic-kept.md says why it is kept this way.

-- Batches as they were acknowledged, until they have been added up. Nobody's: one batch holds events of many websites.
create table event_inbox (
  id bigint generated always as identity primary key,
  size integer not null,
  websites bigint[] not null,
  -- A JSON list, see src/traffic/event.ts. Not packed: it lives for a second.
  events text not null,
  -- Why it could not be added up. It waits for a version that can.
  fault text
);
alter table event_inbox alter column events set storage external;

-- With a day's salt gone nobody can tell who a visitor was. Not in backups.
create table visitor_salts (
  day date primary key,
  salt bytea not null
);

-- What pages, sources, countries… are called. Everything else keeps the number, which is small: they begin with 1 for every
-- website and follow each other.
create table traffic_values (
  website_id bigint not null,
  id integer not null,
  kind smallint not null,
  value text collate "C" not null,
  primary key (website_id, kind, value)
);
create unique index traffic_values_id_idx on traffic_values (website_id, id);

-- Every event, in partitions of a month that are made and dropped as time goes by. Without a reference to its website,
-- which would double the cost of a row: what is left of a deleted one is swept out by the worker.
create table events (
  website_id bigint not null,
  at timestamptz not null,
  -- Of the website's time zone when it happened.
  day date not null,
  -- Whole hours since that day began.
  hour smallint not null,
  -- 1 page view, 2 event with a name, 3 time on a page
  kind smallint not null,
  -- null: time on a page of no visit that we know of
  visit_id bigint,
  page integer,
  name integer,
  engaged_ms integer,
  props text
) partition by range (at);
create index events_website_id_at_idx on events (website_id, at);
create table events_other partition of events default;

-- A visitor's events of one day without a pause of 30 minutes. Numbers are those of traffic_values; null is not known.
create table visits (
  website_id bigint not null,
  day date not null,
  visitor bigint not null,
  id bigint not null,
  started_at timestamptz not null,
  last_at timestamptz not null,
  views integer not null,
  -- Events with a name that somebody caused: with one of them a visit is no bounce.
  actions integer not null,
  -- Bit n: something happened in hour n of the day.
  hours integer not null,
  landing_page integer,
  exit_page integer,
  referrer integer,
  source integer,
  campaign integer,
  country integer,
  region integer,
  city integer,
  language integer,
  browser integer,
  os integer,
  device integer,
  resolution integer,
  primary key (website_id, day, visitor, id)
) partition by range (day);
create table visits_other partition of visits default;
create sequence visit_ids;

-- What a day came to. The packed columns hold what traffic_counts held once the day is over, see src/traffic/packed.ts. As
-- text and left alone: to write 1 MB of bytea as hex takes PostgreSQL 20 ms, and to unpack what it packed itself another 10.
create table traffic_days (
  website_id bigint not null,
  day date not null,
  visitors integer not null,
  views integer not null,
  visits integer not null,
  bounces integer not null,
  duration_ms bigint not null,
  events integer not null,
  is_packed boolean not null default false,
  page text,
  landing_page text,
  exit_page text,
  referrer text,
  source text,
  campaign text,
  country text,
  region text,
  city text,
  language text,
  browser text,
  os text,
  device text,
  resolution text,
  event text,
  view_hours text,
  visitor_hours text,
  -- The visits of a day that is over, for questions about a part of them, see src/traffic/packed-visits.ts. null as soon as
  -- there is one more, until the day is packed again; and for good when its events are dropped.
  packed_visits text,
  primary key (website_id, day)
) with (fillfactor = 80);
alter table traffic_days
  alter column page set storage external,
  alter column landing_page set storage external,
  alter column exit_page set storage external,
  alter column referrer set storage external,
  alter column source set storage external,
  alter column campaign set storage external,
  alter column city set storage external,
  alter column event set storage external,
  alter column packed_visits set storage external;
create index traffic_days_unpacked_idx on traffic_days (day) where not is_packed;
create index traffic_days_visits_idx on traffic_days (day) where packed_visits is not null;

-- What the packed columns of a week's days come to, from Monday on, for questions about many days. Written with the last of them.
create table traffic_weeks (
  website_id bigint not null,
  week date not null,
  page text,
  landing_page text,
  exit_page text,
  referrer text,
  source text,
  campaign text,
  country text,
  region text,
  city text,
  language text,
  browser text,
  os text,
  device text,
  resolution text,
  event text,
  primary key (website_id, week)
);
alter table traffic_weeks
  alter column page set storage external,
  alter column landing_page set storage external,
  alter column exit_page set storage external,
  alter column referrer set storage external,
  alter column source set storage external,
  alter column campaign set storage external,
  alter column city set storage external,
  alter column event set storage external;

-- What days that are not packed yet came to, value by value. Added to what is packed.
create table traffic_counts (
  website_id bigint not null,
  dimension smallint not null,
  day date not null,
  value integer not null,
  count integer not null,
  primary key (website_id, dimension, day, value)
) with (fillfactor = 80);

-- Websites that are gone and whose traffic has still to go.
create table removed_websites (
  website_id bigint primary key
);
-- As its owner: whoever deletes a website has no rights on the list.
create function note_removed_traffic() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
begin
  insert into removed_websites select id from removed on conflict do nothing;
  return null;
end
$$;
create trigger note_removed_traffic after delete on websites referencing old table as removed
  for each statement execute function note_removed_traffic();

-- When the next weekly report is due: Monday at 8 by the website's clock; null where none is wanted.
alter table websites add column report_due_at timestamptz;

create function next_report(since timestamptz, zone text) returns timestamptz
language sql stable
return (date_trunc('week', (since at time zone zone) - interval '8 hours') + interval '7 days 8 hours') at time zone zone;

create function note_report() returns trigger
language plpgsql
as $$
begin
  if new.email = 0 then
    new.report_due_at := null;
  elsif tg_op = 'INSERT' or old.email = 0 then
    new.report_due_at := next_report(new.updated_at, new.time_zone);
  elsif old.time_zone <> new.time_zone then
    -- The same Monday by the other clock, where it may be over already: no week is left out, and none comes twice.
    new.report_due_at := old.report_due_at at time zone old.time_zone at time zone new.time_zone;
  end if;
  return new;
end
$$;
create trigger note_report before insert or update of email, time_zone on websites
  for each row execute function note_report();
update websites set report_due_at = next_report(now(), time_zone) where email = 1;
create index websites_report_due_idx on websites (report_due_at) where report_due_at is not null;

-- A website's report of one week: decided once, tried until it is taken.
create table weekly_reports (
  user_id bigint not null,
  website_id bigint not null,
  -- The Monday that the week began with.
  week date not null,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- The node in claimed_by is at it.
  claimed_by bigint,
  message_id text not null,
  answer text,
  created_at timestamptz not null,
  primary key (user_id, website_id, week),
  foreign key (user_id, website_id) references websites on delete cascade
);
create index weekly_reports_waiting_idx on weekly_reports (next_attempt_at) where state = 'waiting';

-- This month and the next; later ones are made as time goes by.
do $$
declare
  month date;
begin
  for month in select date_trunc('month', now()) + n * interval '1 month' from generate_series(0, 1) n loop
    execute format('create table events_%s partition of events for values from (%L) to (%L)',
      to_char(month, 'YYYYMM'), month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
    execute format('create table visits_%s partition of visits for values from (%L) to (%L)',
      to_char(month, 'YYYYMM'), month, (month + interval '1 month')::date);
  end loop;
end
$$;
