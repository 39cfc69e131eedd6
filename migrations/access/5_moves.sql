-- Whether the caller manages both their own team and the other one, to which something moves.
create or replace function manages_both(target bigint) returns boolean
language sql stable
as $$
  select managing_team() is not null and target <> managing_team()
     and exists (select from team_members m where m.team_id = target and m.user_id = own_user() and m.role in ('owner', 'admin'))
$$;

-- Gives a monitor, with its history, to another team. What belongs to the channels, status pages and maintenances of its old team does not come
-- along. Its encrypted columns are encrypted for one team, so the caller passes them encrypted for the other one.
create or replace function move_monitor_rows(monitor bigint, source bigint, target bigint, headers bytea, token bytea) returns void
language plpgsql
as $$
declare
  moved text;
begin
  delete from alerts where user_id = source and monitor_id = monitor;
  delete from assignments where user_id = source and monitor_id = monitor;
  delete from maintenance_monitors where user_id = source and monitor_id = monitor;
  delete from status_page_monitors where user_id = source and monitor_id = monitor;
  delete from status_post_monitors where user_id = source and monitor_id = monitor;
  delete from status_subscriber_monitors where user_id = source and monitor_id = monitor;
  update monitors set depends_on = null where user_id = source and depends_on = monitor;
  update incidents set parent_monitor_id = null, parent_incident_id = null where user_id = source and parent_monitor_id = monitor;
  update incidents set parent_monitor_id = null, parent_incident_id = null where user_id = source and monitor_id = monitor;
  update monitors
     set user_id = target, depends_on = null, maintenance_until = null, http_headers = headers, beat_token = token
   where user_id = source and id = monitor;
  foreach moved in array array['watches', 'incidents', 'incident_notes', 'check_hours', 'check_days', 'checks', 'heartbeats', 'beats',
                               'beat_inbox']
  loop
    execute format('update %I set user_id = $1 where user_id = $2 and monitor_id = $3', moved) using target, source, monitor;
  end loop;
  -- A node that is checking the monitor finds no row for its result, and the check is repeated for the new team.
  update monitor_states s
     set user_id = target, claim = claim + 1, claimed_by = null, waiting_since = null,
         due_at = case when m.status <> 'paused' then case when s.due_at = 'infinity' then now() else s.due_at end end
    from monitors m
   where s.user_id = source and s.monitor_id = monitor and m.user_id = target and m.id = monitor;
  update monitor_counts set total = total - 1, version = gen_random_uuid() where user_id = source;
  insert into monitor_counts as counts (user_id, total) values (target, 1)
  on conflict (user_id) do update set total = counts.total + 1, version = gen_random_uuid();
end
$$;

-- Checks are rolled up in the order of teams and monitors, some monitors at a time. A monitor that moves in between would be left out or counted
-- twice.
create or replace function hold_rollups() returns void
language plpgsql
as $$
begin
  perform from rollups order by period for update;
  if exists (select from rollups where after_monitor_id <> 0) then
    raise object_in_use using message = 'check results are being rolled up';
  end if;
end
$$;

-- Moves a monitor of the caller's team to another team. Returns false if the caller's team has no such monitor.
create or replace function move_monitor(monitor bigint, target bigint, headers bytea, token bytea) returns boolean
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
  source bigint := managing_team();
  exists_in_source boolean;
begin
  if not manages_both(target) then
    raise insufficient_privilege using message = 'the caller does not manage both teams';
  end if;
  perform set_config('belfry.across_users', 'on', true), set_config('belfry.audit_move', 'on', true);
  set constraints all deferred;
  perform hold_rollups();
  perform from monitors where user_id = source and id = monitor for update;
  exists_in_source := found;
  if exists_in_source then
    perform move_monitor_rows(monitor, source, target, headers, token);
  end if;
  perform set_config('belfry.across_users', before, true), set_config('belfry.audit_move', '', true);
  return exists_in_source;
end
$$;

-- Moves a website of the caller's team, with its traffic and its traffic alerts, to another team. The traffic tables know only the website.
create or replace function move_website(website bigint, target bigint) returns boolean
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
  source bigint := managing_team();
  watcher bigint;
  is_favorite boolean;
  moved text;
begin
  if not manages_both(target) then
    raise insufficient_privilege using message = 'the caller does not manage both teams';
  end if;
  perform set_config('belfry.across_users', 'on', true), set_config('belfry.audit_move', 'on', true);
  set constraints all deferred;
  perform hold_rollups();
  select favorite into is_favorite from websites where user_id = source and id = website and not is_sample for update;
  if is_favorite is not null then
    delete from guest_websites where team_id = source and website_id = website;
    delete from awaited_websites where user_id = source and website_id = website;
    update websites set user_id = target where user_id = source and id = website;
    foreach moved in array array['website_suffixes', 'website_icons', 'arrivals', 'weekly_reports', 'traffic_watches']
    loop
      execute format('update %I set user_id = $1 where user_id = $2 and website_id = $3', moved) using target, source, website;
    end loop;
    update website_counts
       set total = total - 1, favorites = favorites - is_favorite::integer, version = gen_random_uuid() where user_id = source;
    insert into website_counts as counts (user_id, total, favorites, version) values (target, 1, is_favorite::integer, gen_random_uuid())
    on conflict (user_id) do update
      set total = counts.total + 1, favorites = counts.favorites + excluded.favorites, version = excluded.version;
    -- The monitor of the traffic alerts has nothing encrypted.
    for watcher in select m.id from monitors m where m.user_id = source and m.website_id = website loop
      perform move_monitor_rows(watcher, source, target, null, null);
    end loop;
  end if;
  perform set_config('belfry.across_users', before, true), set_config('belfry.audit_move', '', true);
  return is_favorite is not null;
end
$$;
