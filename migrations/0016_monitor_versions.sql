-- Another one whenever a monitor is added or deleted, or changes its name, URL or type: what was computed from these under the same
-- version still holds. It is no number, because after a restore a number would come again.
alter table monitor_counts add column version uuid not null default gen_random_uuid();

create or replace function note_added_monitors() returns trigger
language plpgsql
as $$
begin
  insert into monitor_counts as counts (user_id, total, version)
  select user_id, count(*), gen_random_uuid() from added group by user_id
  on conflict (user_id) do update set total = counts.total + excluded.total, version = excluded.version;
  return null;
end
$$;

create or replace function note_removed_monitors() returns trigger
language plpgsql
as $$
begin
  update monitor_counts counts set total = counts.total - gone.total, version = gen_random_uuid()
    from (select user_id, count(*) as total from removed group by user_id) gone
   where counts.user_id = gone.user_id;
  return null;
end
$$;

create function note_changed_monitor() returns trigger
language plpgsql
as $$
begin
  update monitor_counts set version = gen_random_uuid() where user_id = new.user_id;
  return null;
end
$$;
-- For each row and not for each statement: an outage changes the status of thousands of monitors in one statement, which PostgreSQL
-- would have to collect. People rename one monitor at a time.
create trigger note_changed after update of friendly_name, url, type on monitors
  for each row
  when (old.friendly_name <> new.friendly_name or old.url <> new.url or old.type <> new.type)
  execute function note_changed_monitor();
