-- What the pages need: what has just changed, and what was not counted.

-- What became up, down or paused since a moment.
create index monitors_status_changed_at_idx on monitors (user_id, status_changed_at);

-- Events that a website's settings turned away, by the day of the website's time zone. Not who sent them.
create table dropped_events (
  website_id bigint not null,
  day date not null,
  -- As in X-Belfry-Dropped.
  reason text not null,
  count bigint not null,
  primary key (website_id, day, reason)
) with (fillfactor = 80);
-- Those of a year ago are forgotten.
create index dropped_events_day_idx on dropped_events (day);
