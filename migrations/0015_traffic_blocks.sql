-- The visits and events of days that are over, in compressed columns instead of rows.

create table traffic_blocks (
  website_id bigint not null,
  -- In the website's time zone.
  day date not null,
  -- A day with many events, or with long event properties, has several parts. Each has other visitors, with all their visits and
  -- events of the day.
  part integer not null,
  -- The version of the format: src/traffic/blocks/block.ts.
  version smallint not null,
  -- The number of elements in the columns. Hits are page views and custom events.
  visitors integer not null,
  visits integer not null,
  hits integer not null,
  events integer not null,
  -- The smallest visitor id of the part. Each part has larger ids than the part before it. Parts that have only events without a
  -- visit come first, and have -1 here.
  first_visitor bigint not null,
  -- When the first and the last visit of the part began.
  first_started_at timestamptz,
  last_started_at timestamptz,
  -- The times of the first and the last event.
  first_event_at timestamptz,
  last_event_at timestamptz,
  page bytea,
  landing_page bytea,
  exit_page bytea,
  referrer bytea,
  source bytea,
  campaign bytea,
  country bytea,
  region bytea,
  city bytea,
  language bytea,
  browser bytea,
  os bytea,
  device bytea,
  resolution bytea,
  event bytea,
  hostname bytea,
  visit_counts bytea,
  durations bytea,
  views bytea,
  actions bytea,
  hour_bits bytea,
  hit_counts bytea,
  custom_hits bytea,
  first_hours bytea,
  hour_steps bytea,
  visitor_ids bytea,
  visit_ids bytea,
  starts bytea,
  event_delays bytea,
  event_gaps bytea,
  engagement_counts bytea,
  engagement_pages bytea,
  engagement_hours bytea,
  engaged_times bytea,
  props bytea,
  orphans bytea,
  primary key (website_id, day, part)
);
create index traffic_blocks_day_idx on traffic_blocks (day);
-- The columns are compressed already.
do $$
declare
  name text;
begin
  for name in
    select attname from pg_attribute
     where attrelid = 'traffic_blocks'::regclass and atttypid = 'bytea'::regtype
  loop
    execute format('alter table traffic_blocks alter column %I set storage external', name);
  end loop;
end
$$;

-- Identifies the blocks of a day, and changes whenever they do. null: the day's visits and events are rows. 0: it has no visits or
-- events, because they were deleted or the day was imported as totals. If the day is not packed, it has rows in addition to
-- its blocks. A visitor with rows in `visits` is complete there, and readers skip this visitor in the blocks.
alter table traffic_days add column block_set bigint;
comment on column traffic_days.packed_visits is
  'Written by version 0.2.0 and earlier only: base64 of varints after a version. Packing the day into blocks clears it';
create sequence block_sets;
create index traffic_days_rows_idx on traffic_days (day) where block_set is null;
