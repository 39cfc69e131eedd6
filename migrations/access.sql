-- Who may see what. Applied anew, as a whole, whenever it or a migration has changed: the one place where
-- policies stand and where anything looks across users.
--
--   own            the rows of the caller that `enter` has let in
--   opened         the traffic of the one website whose statistics `open_statistics` has opened
--   administrator  what only an administrator reaches
--   across_users   our own work that concerns everybody: finding a key or a session, housekeeping, backups.
--                  Open to the owner's connections alone, and there only where the setting is on.

create or replace function caller_id() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.user_id', true), '')::bigint $$;

create or replace function caller_is_administrator() returns boolean
language sql stable parallel safe
as $$ select coalesce(current_setting('belfry.administrator', true), '') = 'on' $$;

create or replace function looks_across_users() returns boolean
language sql stable parallel safe
as $$ select coalesce(current_setting('belfry.across_users', true), '') = 'on' $$;

-- Lets a caller in for the rest of the transaction, if the key or session they showed still exists.
-- Every request passes here in the same flight as its query, so a revoked key is refused at once on every
-- node. Whoever is not let in is left without an id, and sees and writes nothing.
create or replace function enter(for_user bigint, by_key bigint, by_session bigint) returns boolean
language plpgsql
as $$
declare
  administrator boolean;
begin
  perform set_config('belfry.user_id', for_user::text, true);
  if by_key is not null then
    perform from api_keys where id = by_key;
  else
    select u.is_admin into administrator from sessions s join users u on u.id = s.user_id where s.id = by_session;
  end if;
  if not found then
    perform set_config('belfry.user_id', '', true);
    return false;
  end if;
  if administrator then
    perform set_config('belfry.administrator', 'on', true);
  end if;
  return true;
end
$$;

create or replace function opened_website() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.website_id', true), '')::bigint $$;

-- Opens the statistics of a website for the rest of the transaction: to its owner, who has entered before.
create or replace function open_statistics(website bigint) returns boolean
language plpgsql
as $$
begin
  perform from websites where user_id = caller_id() and id = website;
  if not found then
    return false;
  end if;
  perform set_config('belfry.website_id', website::text, true);
  return true;
end
$$;

-- And to somebody who is nobody here, unless the website is private. They stay without an id: nothing else of the
-- owner's can be seen. Whether a password was needed and known has been found out before.
create or replace function open_statistics_to_guest(owner bigint, website bigint) returns boolean
language plpgsql
as $$
declare
  is_open boolean;
begin
  perform set_config('belfry.user_id', owner::text, true);
  select privacy <> 1 into is_open from websites where user_id = owner and id = website;
  perform set_config('belfry.user_id', '', true);
  if is_open is not true then
    return false;
  end if;
  perform set_config('belfry.website_id', website::text, true);
  return true;
end
$$;

-- What the caller's websites came to since a day, one row for each: days as distances from it, and who has been there since
-- a moment. Traffic opens for one website at a time otherwise. What is turned on here is as before when it ends.
create or replace function own_traffic(since_day date, since timestamptz)
returns table (website_id bigint, has_traffic boolean, days text, visitors text, visitors_now bigint)
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  return query
    select w.id, recent.days is not null or (select true from traffic_days d where d.website_id = w.id limit 1) is not null,
           coalesce(recent.days, '{}'), coalesce(recent.visitors, '{}'),
           (select count(distinct e.visit_id) from events e where e.website_id = w.id and e.at > since)
      from websites w
      left join lateral (
        select array_agg(d.day - since_day)::text as days, array_agg(d.visitors)::text as visitors
          from traffic_days d where d.website_id = w.id and d.day >= since_day
      ) recent on true
     where w.user_id = caller_id();
  perform set_config('belfry.across_users', before, true);
end
$$;

-- Closes a table to everybody but the caller of `enter` and our own work. Partitions are made as time goes by, and whoever
-- makes one calls this.
create or replace function protect(target regclass) returns void
language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy across_users on %s to %I using (looks_across_users())', target, current_user);
end
$$;

-- With the policies of the table that it is a part of.
create or replace function protect_partition(target regclass) returns void
language plpgsql
as $$
begin
  perform protect(target);
  if exists (select from pg_attribute where attrelid = target and attname = 'user_id') then
    execute format('create policy own on %s using (user_id = caller_id())', target);
  else
    execute format('create policy opened on %s for select using (website_id = opened_website())', target);
  end if;
end
$$;

do $$
declare
  named record;
  owned text;
begin
  for named in select tablename, policyname from pg_policies where schemaname = current_schema() loop
    execute format('drop policy %I on %I', named.policyname, named.tablename);
  end loop;

  -- Every table whose rows are somebody's. Those left out stand in storage/access.ts, with the reason.
  foreach owned in array array[
    'users', 'sessions', 'api_keys', 'idempotency_keys', 'websites', 'website_suffixes', 'website_counts',
    'monitors', 'monitor_states', 'monitor_counts', 'watches', 'incidents', 'providers', 'assignments', 'sms_days',
    'checks', 'check_hours', 'check_days', 'alerts', 'weekly_reports',
    'events', 'visits', 'traffic_values', 'traffic_days', 'traffic_weeks', 'traffic_counts',
    'dropped_events'
  ] loop
    perform protect(owned::regclass);
  end loop;

  for named in select inhrelid::regclass as part from pg_inherits 
    where inhparent in ('checks'::regclass, 'events'::regclass, 'visits'::regclass) loop
    perform protect_partition(named.part);
  end loop;
end
$$;

create policy own on users using (id = caller_id());
create policy own on sessions using (user_id = caller_id());
create policy own on api_keys using (user_id = caller_id());
create policy own on idempotency_keys using (user_id = caller_id());
create policy own on websites using (user_id = caller_id());
create policy own on website_suffixes using (user_id = caller_id());
create policy own on website_counts using (user_id = caller_id());
create policy own on monitors using (user_id = caller_id());
create policy own on monitor_states using (user_id = caller_id());
create policy own on monitor_counts using (user_id = caller_id());
create policy own on watches using (user_id = caller_id());
create policy own on incidents using (user_id = caller_id());
create policy own on providers using (user_id = caller_id());
create policy own on assignments using (user_id = caller_id());
create policy own on sms_days using (user_id = caller_id());
create policy own on checks using (user_id = caller_id());
create policy own on check_hours using (user_id = caller_id());
create policy own on check_days using (user_id = caller_id());
create policy own on alerts using (user_id = caller_id());
create policy own on weekly_reports using (user_id = caller_id());

create policy opened on events for select using (website_id = opened_website());
create policy opened on visits for select using (website_id = opened_website());
create policy opened on traffic_values for select using (website_id = opened_website());
create policy opened on traffic_days for select using (website_id = opened_website());
create policy opened on traffic_weeks for select using (website_id = opened_website());
create policy opened on traffic_counts for select using (website_id = opened_website());
-- Not to guests, who are nobody.
create policy opened on dropped_events for select using (website_id = opened_website() and caller_id() is not null);

create policy administrator on users using (caller_is_administrator());
