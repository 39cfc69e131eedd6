-- Who can see what. This file holds every policy, and everything that works across users. It is applied as a
-- whole whenever it or a migration changes.
--
--   own            the rows of the caller that `enter` has set
--   opened         the traffic of the one website whose statistics `open_statistics` has opened
--   administrator  rows that only an administrator can reach
--   across_users   Belfry's own work across users: finding a key or a session, housekeeping, backups.
--                  Only for connections of the owner, and only while the setting belfry.across_users is on.

create or replace function caller_id() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.user_id', true), '')::bigint $$;

create or replace function caller_is_administrator() returns boolean
language sql stable parallel safe
as $$ select coalesce(current_setting('belfry.administrator', true), '') = 'on' $$;

create or replace function looks_across_users() returns boolean
language sql stable parallel safe
as $$ select coalesce(current_setting('belfry.across_users', true), '') = 'on' $$;

-- Drops every right that the session may have, and switches to the request role. A null role keeps the current role.
-- The settings end with the transaction, because behind a pooler the next transaction of this session can belong to
-- another user. Assignments call set_config directly, while PERFORM would run a query each time.
create or replace function drop_rights(request_role text) returns void
language plpgsql
as $$
declare
  ignored text;
begin
  if current_setting('belfry.across_users', true) <> '' then
    ignored := set_config('belfry.across_users', '', true);
  end if;
  if current_setting('belfry.administrator', true) <> '' then
    ignored := set_config('belfry.administrator', '', true);
  end if;
  if current_setting('belfry.website_id', true) <> '' then
    ignored := set_config('belfry.website_id', '', true);
  end if;
  if current_setting('belfry.user_id', true) <> '' then
    ignored := set_config('belfry.user_id', '', true);
  end if;
  if request_role is null then
    if not row_security_active('belfry.users') then
      raise exception 'row level security does not apply to the role %', current_user;
    end if;
  else
    ignored := set_config('role', request_role, true);
    if current_user <> request_role then
      raise exception 'the role is %, not %', current_user, request_role;
    end if;
  end if;
end
$$;

-- Whether a setting gives the session any right.
create or replace function has_rights() returns boolean
language sql stable
as $$
  select concat(current_setting('belfry.across_users', true), current_setting('belfry.administrator', true),
                current_setting('belfry.website_id', true), current_setting('belfry.user_id', true)) <> ''
$$;

-- Switches to the request role and returns whether row level security applies. A null role keeps the current role.
create or replace function switch_role(request_role text) returns boolean
language sql
as $$
  select case when request_role is null then row_security_active('belfry.users')
              when set_config('role', request_role, true) is null then false
              else current_user = request_role end
$$;

-- Sets the caller for the rest of the transaction, if their key or session still exists. Every request calls this
-- in the same batch as its query, so a revoked key stops working immediately on every node. Without a valid key or
-- session the caller has no id, and can neither see nor write any row.
--
-- PL/pgSQL prepares each expression anew in each transaction, so this function evaluates as few as possible. PostgreSQL inlines
-- has_rights and switch_role. Most sessions have no rights yet, so drop_rights is rarely called.
create or replace function enter(for_user bigint, by_key bigint, by_session bigint, request_role text) returns boolean
language plpgsql
as $$
declare
  administrator boolean;
  ignored text;
begin
  if has_rights() or not switch_role(request_role) then
    ignored := drop_rights(request_role);
  end if;
  ignored := set_config('belfry.user_id', for_user::text, true);
  if by_key is not null then
    perform from api_keys where id = by_key and user_id = for_user;
    if found then
      return true;
    end if;
  else
    select u.is_admin into administrator
      from sessions s join users u on u.id = s.user_id
     where s.id = by_session and s.user_id = for_user;
    if administrator then
      ignored := set_config('belfry.administrator', 'on', true);
    end if;
    if administrator is not null then
      return true;
    end if;
  end if;
  ignored := set_config('belfry.user_id', '', true);
  return false;
end
$$;

-- During a rolling upgrade, nodes of the previous version call `enter` without a role. Their sessions already have the request role.
create or replace function enter(for_user bigint, by_key bigint, by_session bigint) returns boolean
language sql
as $$ select enter(for_user, by_key, by_session, null) $$;

-- Gives the rest of the transaction access to the rows of all users. It has an effect only for the owner, because the
-- policy `across_users` is for no other role.
create or replace function enter_across_users() returns text
language sql
as $$ select set_config('belfry.across_users', 'on', true) $$;

create or replace function opened_website() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.website_id', true), '')::bigint $$;

-- Opens the statistics of a website to its owner for the rest of the transaction. Call `enter` first.
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

-- Opens the statistics of a website that isn't private to an anonymous visitor. The visitor has no id, so they can't
-- see anything else of the owner. The server has already checked the password, if there is one.
create or replace function open_statistics_to_guest(owner bigint, website bigint, request_role text) returns boolean
language plpgsql
as $$
declare
  is_open boolean;
begin
  perform drop_rights(request_role);
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

-- Nodes of the previous version call this function without a role, as above.
create or replace function open_statistics_to_guest(owner bigint, website bigint) returns boolean
language sql
as $$ select open_statistics_to_guest(owner, website, null) $$;

-- Returns the traffic of the caller's websites, one row each: visitors per day since `since_day`, and current visitors since `since`.
-- `days` are numbers of days after `since_day`. If `ids` is null, the function reads all websites of the caller. `open_statistics` would
-- give access to only one of them, so this function gives itself access to all rows, and takes it back before it returns.
create or replace function own_traffic(since_day date, since timestamptz, ids bigint[])
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
     where w.user_id = caller_id() and (ids is null or w.id = any (ids));
  perform set_config('belfry.across_users', before, true);
end
$$;

-- Nodes of the previous version call this function without ids, as above.
create or replace function own_traffic(since_day date, since timestamptz)
returns table (website_id bigint, has_traffic boolean, days text, visitors text, visitors_now bigint)
language sql
as $$ select * from own_traffic(since_day, since, null) $$;

-- Returns the visitors of all the caller's websites together, without the sample website, on each day since `since_day`. Time zones are
-- separate, because a day begins at another time in each. PostgreSQL walks once through the index for each time zone, which takes a third
-- less time than joining days with websites.
create or replace function own_visitors_by_day(since_day date)
returns table (time_zone text, day date, visitors bigint)
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  return query
    select zones.time_zone, days.day, days.visitors
      from (
        select w.time_zone, array_agg(w.id) as website_ids
          from websites w where w.user_id = caller_id() and not w.is_sample group by w.time_zone
      ) zones
     cross join lateral (
        select d.day, sum(d.visitors) as visitors
          from traffic_days d where d.website_id = any (zones.website_ids) and d.day >= since_day group by d.day
      ) days;
  perform set_config('belfry.across_users', before, true);
end
$$;

-- Returns the sum of the current visitors of all the caller's websites since `since`, without the sample website. An index alone has the
-- ids of websites, and another one finds the sample website.
create or replace function own_visitors_now(since timestamptz) returns bigint
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
  total bigint;
begin
  perform set_config('belfry.across_users', 'on', true);
  select count(*) into total
    from (
      select distinct e.website_id, e.visit_id
        from events e
       where e.website_id = any (array(select w.id from websites w where w.user_id = caller_id()))
         and e.website_id <> all (array(select w.id from websites w where w.user_id = caller_id() and w.is_sample))
         and e.at > since and e.visit_id is not null
    ) visitors;
  perform set_config('belfry.across_users', before, true);
  return total;
end
$$;

-- Whether a maintenance covers the monitor at that time. The result depends only on the times of windows, not on their state, so it
-- is right even if the worker has not handled their start or end yet. It uses the current tags and list of monitors.
create or replace function is_in_maintenance(for_user bigint, for_monitor bigint, at_time timestamptz) returns boolean
language sql stable
as $$
  select exists (
    select from maintenance_windows w
      join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
     where w.user_id = for_user and w.starts_at <= at_time and w.ends_at > at_time
       and (t.all_monitors
            or exists (select from maintenance_monitors c
                        where c.user_id = for_user and c.maintenance_id = t.id and c.monitor_id = for_monitor)
            or exists (select from monitors m
                        where m.user_id = for_user and m.id = for_monitor and m.tag_keys && t.tag_keys))
  )
$$;

-- Creates a policy, or replaces one that differs. It leaves an equal policy alone: a change has to wait for every transaction that
-- uses the table, and later queries have to wait for the change. `condition` must be written as PostgreSQL prints the stored condition.
create or replace function ensure_policy(
  target regclass, policy text, command text, condition text, grantee regrole default null
) returns void
language plpgsql
as $$
begin
  perform from pg_policy
    where polrelid = target and polname = policy and polpermissive and polwithcheck is null
      and polcmd = case command when 'select' then 'r' else '*' end
      and polroles = array[coalesce(grantee::oid, 0)]
      and pg_get_expr(polqual, polrelid) = condition;
  if found then
    return;
  end if;
  execute format('drop policy if exists %I on %s', policy, target);
  execute format('create policy %I on %s for %s to %s using (%s)',
    policy, target, command, coalesce(grantee::text, 'public'), condition);
end
$$;

-- Hides the rows of a table from all sessions except Belfry's own work across users. Further policies have to give callers
-- access to their rows. For a new partition, call `protect_partition`, which adds these policies, too.
create or replace function protect(target regclass) returns void
language plpgsql
as $$
begin
  perform from pg_class where oid = target and relrowsecurity and relforcerowsecurity;
  if not found then
    execute format('alter table %s enable row level security', target);
    execute format('alter table %s force row level security', target);
  end if;
  perform ensure_policy(target, 'across_users', 'all', 'looks_across_users()', quote_ident(current_user)::regrole);
end
$$;

-- Gives a partition the policies of its parent table.
create or replace function protect_partition(target regclass) returns void
language plpgsql
as $$
begin
  perform protect(target);
  if exists (select from pg_attribute where attrelid = target and attname = 'user_id') then
    perform ensure_policy(target, 'own', 'all', '(user_id = caller_id())');
  else
    perform ensure_policy(target, 'opened', 'select', '(website_id = opened_website())');
  end if;
end
$$;

do $$
declare
  wanted record;
  existing record;
  kept text[] := '{}';
begin
  -- Every table with rows of users. src/storage/access.ts lists the other tables with the reason. Conditions are
  -- written as PostgreSQL prints them, with all parentheses.
  for wanted in
    with policies (table_name, policy, command, condition) as (
      values
        ('users', 'own', 'all', '(id = caller_id())'),
        ('users', 'administrator', 'all', 'caller_is_administrator()'),
        ('sessions', 'own', 'all', '(user_id = caller_id())'),
        ('api_keys', 'own', 'all', '(user_id = caller_id())'),
        ('idempotency_keys', 'own', 'all', '(user_id = caller_id())'),
        ('websites', 'own', 'all', '(user_id = caller_id())'),
        ('website_suffixes', 'own', 'all', '(user_id = caller_id())'),
        ('website_counts', 'own', 'all', '(user_id = caller_id())'),
        ('awaited_websites', 'own', 'all', '(user_id = caller_id())'),
        ('website_icons', 'own', 'all', '(user_id = caller_id())'),
        ('arrivals', 'own', 'all', '(user_id = caller_id())'),
        ('monitors', 'own', 'all', '(user_id = caller_id())'),
        ('monitor_states', 'own', 'all', '(user_id = caller_id())'),
        ('monitor_counts', 'own', 'all', '(user_id = caller_id())'),
        ('watches', 'own', 'all', '(user_id = caller_id())'),
        ('incidents', 'own', 'all', '(user_id = caller_id())'),
        ('incident_notes', 'own', 'all', '(user_id = caller_id())'),
        ('providers', 'own', 'all', '(user_id = caller_id())'),
        ('assignments', 'own', 'all', '(user_id = caller_id())'),
        ('sms_days', 'own', 'all', '(user_id = caller_id())'),
        ('checks', 'own', 'all', '(user_id = caller_id())'),
        ('check_hours', 'own', 'all', '(user_id = caller_id())'),
        ('check_days', 'own', 'all', '(user_id = caller_id())'),
        ('alerts', 'own', 'all', '(user_id = caller_id())'),
        ('maintenances', 'own', 'all', '(user_id = caller_id())'),
        ('maintenance_monitors', 'own', 'all', '(user_id = caller_id())'),
        ('maintenance_windows', 'own', 'all', '(user_id = caller_id())'),
        ('beat_inbox', 'own', 'all', '(user_id = caller_id())'),
        ('heartbeats', 'own', 'all', '(user_id = caller_id())'),
        ('traffic_watches', 'own', 'all', '(user_id = caller_id())'),
        ('beats', 'own', 'all', '(user_id = caller_id())'),
        ('weekly_reports', 'own', 'all', '(user_id = caller_id())'),
        ('status_pages', 'own', 'all', '(user_id = caller_id())'),
        ('status_page_logos', 'own', 'all', '(user_id = caller_id())'),
        ('status_page_groups', 'own', 'all', '(user_id = caller_id())'),
        ('status_page_monitors', 'own', 'all', '(user_id = caller_id())'),
        ('status_posts', 'own', 'all', '(user_id = caller_id())'),
        ('status_post_monitors', 'own', 'all', '(user_id = caller_id())'),
        ('status_post_updates', 'own', 'all', '(user_id = caller_id())'),
        ('status_post_templates', 'own', 'all', '(user_id = caller_id())'),
        ('status_subscribers', 'own', 'all', '(user_id = caller_id())'),
        ('status_subscriber_monitors', 'own', 'all', '(user_id = caller_id())'),
        ('status_messages', 'own', 'all', '(user_id = caller_id())'),
        ('status_confirmations', 'own', 'all', '(user_id = caller_id())'),
        ('status_announced_maintenances', 'own', 'all', '(user_id = caller_id())'),
        ('events', 'opened', 'select', '(website_id = opened_website())'),
        ('visits', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_values', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_days', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_blocks', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_weeks', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_counts', 'opened', 'select', '(website_id = opened_website())'),
        -- Anonymous visitors, who have no id, must not see dropped events.
        ('dropped_events', 'opened', 'select', '((website_id = opened_website()) AND (caller_id() IS NOT NULL))')
    ), partitions as (
      select inhrelid as target, policy, command, condition
        from policies join pg_inherits on inhparent = table_name::regclass
    )
    select table_name::regclass as target, policy, command, condition from policies
    union all
    select target, policy, command, condition from partitions
  loop
    perform protect(wanted.target);
    perform ensure_policy(wanted.target, wanted.policy, wanted.command, wanted.condition);
    kept := kept || array[format('%s %s', wanted.target, wanted.policy), format('%s across_users', wanted.target)];
  end loop;

  for existing in
    select polrelid::regclass as target, polname
      from pg_policy join pg_class on pg_class.oid = polrelid
     where relnamespace = current_schema()::regnamespace
       and format('%s %s', polrelid::regclass, polname) <> all (kept)
  loop
    execute format('drop policy %I on %s', existing.polname, existing.target);
  end loop;
end
$$;
