-- Who can see and change what. This file holds every policy, and everything that works across teams. It is applied as a
-- whole whenever it or a migration changes. The column user_id of a team's rows contains the id of the team.
--
--   read            rows that the caller may read: those of their team, or what the team has shared with a guest
--   add, change, remove   rows that the caller may insert, update or delete: those of their team, if they are at least an editor
--   own             rows of the caller as a person, such as their sessions
--   opened          the traffic of the one website whose statistics `open_statistics` has opened
--   administrator   rows that only an administrator of the server can reach
--   across_users    Belfry's own work across teams: finding a key or a session, housekeeping, backups.
--                   Only for connections of the owner, and only while the setting belfry.across_users is on.
--
-- `enter_team` sets the caller: their user id, their team and their role in it.

-- The person who calls, or who created the key that calls.
create or replace function own_user() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.user_id', true), '')::bigint $$;

-- The team in which the caller acts. Statements of stores use it. Whether the caller may see a row is up to the functions below.
create or replace function own_team() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.team_id', true), '')::bigint $$;

-- Nodes of the previous version call the team so.
create or replace function caller_id() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.team_id', true), '')::bigint $$;

-- The caller's team if they may read all its rows. Guests may not.
create or replace function reading_team() returns bigint
language sql stable parallel safe
as $$
  select case when current_setting('belfry.role', true) in ('owner', 'admin', 'editor', 'viewer')
              then nullif(current_setting('belfry.team_id', true), '')::bigint end
$$;

-- The caller's team if they may change its websites, monitors and so on.
create or replace function editing_team() returns bigint
language sql stable parallel safe
as $$
  select case when current_setting('belfry.role', true) in ('owner', 'admin', 'editor')
              then nullif(current_setting('belfry.team_id', true), '')::bigint end
$$;

-- The caller's team if they may manage its people, keys and settings.
create or replace function managing_team() returns bigint
language sql stable parallel safe
as $$
  select case when current_setting('belfry.role', true) in ('owner', 'admin')
              then nullif(current_setting('belfry.team_id', true), '')::bigint end
$$;

-- The caller's team if they are one of its owners.
create or replace function owning_team() returns bigint
language sql stable parallel safe
as $$ select case when current_setting('belfry.role', true) = 'owner' then nullif(current_setting('belfry.team_id', true), '')::bigint end $$;

-- What the team has shared with the caller, if they are a guest.
create or replace function guest_websites() returns bigint[]
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.guest_websites', true), '')::bigint[] $$;

create or replace function guest_pages() returns bigint[]
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.guest_pages', true), '')::bigint[] $$;

-- The same, if the guest may also change it.
create or replace function edited_websites() returns bigint[]
language sql stable parallel safe
as $$ select case when current_setting('belfry.role', true) = 'guest editor' then guest_websites() end $$;

create or replace function edited_pages() returns bigint[]
language sql stable parallel safe
as $$ select case when current_setting('belfry.role', true) = 'guest editor' then guest_pages() end $$;

-- Whether the post belongs to one of these status pages.
create or replace function is_post_of(pages bigint[], team bigint, post bigint) returns boolean
language sql stable
as $$ select exists (select from status_posts p where p.user_id = team and p.id = post and p.page_id = any (pages)) $$;

create or replace function caller_is_administrator() returns boolean
language sql stable parallel safe
as $$ select coalesce(current_setting('belfry.administrator', true), '') = 'on' $$;

create or replace function looks_across_users() returns boolean
language sql stable parallel safe
as $$ select coalesce(current_setting('belfry.across_users', true), '') = 'on' $$;

-- Drops every right that the session may have, and switches to the request role. A null role keeps the current role.
-- The settings end with the transaction, because behind a pooler the next transaction of this session can belong to
-- another user.
create or replace function drop_rights(request_role text) returns void
language plpgsql
as $$
declare
  setting text;
  ignored text;
begin
  foreach setting in array array['across_users', 'administrator', 'website_id', 'team_id', 'role', 'guest_websites', 'guest_pages', 'user_id',
                                 'audit', 'audit_actor', 'audit_move']
  loop
    if current_setting('belfry.' || setting, true) <> '' then
      ignored := set_config('belfry.' || setting, '', true);
    end if;
  end loop;
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

-- Whether a setting gives the session any right. The team and the role are only set together with the user.
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

-- Sets the caller for the rest of the transaction, if their key or session still exists, and returns their role in the team: owner,
-- admin, editor, viewer, guest, or `guest editor` for a guest who may edit. Every request calls this in the same batch as its query, so
-- a revoked key or a changed role takes effect immediately on every node. Returns null if the key or session has ended: the caller can
-- then neither see nor write any row. Returns `none` if the session is valid, but its user is not a member of the team: the caller then
-- only has access to their own account. The same goes for `weak`: the team requires a second factor, and the session has not proved one.
--
-- PL/pgSQL prepares each expression anew in each transaction, so this function evaluates as few as possible. PostgreSQL inlines
-- has_rights and switch_role. Most sessions have no rights yet, so drop_rights is rarely called.
create or replace function enter_team(team bigint, person bigint, by_key bigint, by_session bigint, request_role text) returns text
language plpgsql
as $$
declare
  administrator boolean;
  found_role text;
  ignored text;
begin
  if has_rights() or not switch_role(request_role) then
    ignored := drop_rights(request_role);
  end if;
  ignored := set_config('belfry.user_id', person::text, true);
  if by_key is not null then
    select case when m.guest_can_edit then 'guest editor' else m.role end into found_role
      from api_keys k join team_members m on m.team_id = k.team_id and m.user_id = k.user_id
     where k.id = by_key and k.user_id = person and k.team_id = team;
    if found_role is null then
      ignored := set_config('belfry.user_id', '', true);
      return null;
    end if;
  else
    select u.is_admin,
           case when t.requires_second_factor and not s.is_strong then 'weak' when m.guest_can_edit then 'guest editor' else m.role end
      into administrator, found_role
      from sessions s
      join users u on u.id = s.user_id
      left join team_members m on m.team_id = team and m.user_id = s.user_id
      left join teams t on t.id = m.team_id
     where s.id = by_session and s.user_id = person;
    if administrator is null then
      ignored := set_config('belfry.user_id', '', true);
      return null;
    end if;
    if administrator then
      ignored := set_config('belfry.administrator', 'on', true);
    end if;
    if found_role is null or found_role = 'weak' then
      return coalesce(found_role, 'none');
    end if;
  end if;
  ignored := set_config('belfry.team_id', team::text, true) || set_config('belfry.role', found_role, true);
  if found_role in ('guest', 'guest editor') then
    ignored := set_config('belfry.guest_websites', (
      select coalesce(array_agg(g.website_id), '{}')::text from guest_websites g where g.team_id = team and g.user_id = person
    ), true) || set_config('belfry.guest_pages', (
      select coalesce(array_agg(g.page_id), '{}')::text from guest_status_pages g where g.team_id = team and g.user_id = person
    ), true);
  end if;
  return found_role;
end
$$;

-- Sets the caller like `enter_team`, for the command line: the operator of the server acts with the rights of an owner. The audit log names
-- the command.
create or replace function enter_as_operator(team bigint, person bigint, request_role text) returns text
language plpgsql
as $$
declare
  origin text := coalesce(current_setting('belfry.audit', true), '');
begin
  perform drop_rights(request_role);
  perform set_config('belfry.user_id', person::text, true), set_config('belfry.team_id', team::text, true),
          set_config('belfry.role', 'owner', true), set_config('belfry.audit', origin, true);
  return 'owner';
end
$$;

-- During a rolling upgrade, nodes of the previous version call these functions. Such a node knows only one team, the user's own.
create or replace function enter(for_user bigint, by_key bigint, by_session bigint, request_role text) returns boolean
language sql
as $$ select coalesce(enter_team(for_user, for_user, by_key, by_session, request_role) not in ('none', 'weak'), false) $$;

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

-- Opens the statistics of a website to a member of its team for the rest of the transaction. Call `enter_team` first.
create or replace function open_statistics(website bigint) returns boolean
language plpgsql
as $$
begin
  perform from websites where user_id = own_team() and id = website;
  if not found then
    return false;
  end if;
  perform set_config('belfry.website_id', website::text, true);
  return true;
end
$$;

-- Opens the statistics of a website that isn't private to an anonymous visitor. The visitor has no team, so they can't
-- see anything else of the owner. The server has already checked the password, if there is one.
create or replace function open_statistics_to_guest(owner bigint, website bigint, request_role text) returns boolean
language plpgsql
as $$
declare
  is_open boolean;
begin
  perform drop_rights(request_role);
  perform set_config('belfry.team_id', owner::text, true), set_config('belfry.role', 'viewer', true);
  select privacy <> 1 into is_open from websites where user_id = owner and id = website;
  perform set_config('belfry.team_id', '', true), set_config('belfry.role', '', true);
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
     where w.user_id = own_team() and (w.user_id = reading_team() or w.id = any (guest_websites())) and (ids is null or w.id = any (ids));
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
          from websites w
         where w.user_id = own_team() and (w.user_id = reading_team() or w.id = any (guest_websites())) and not w.is_sample
         group by w.time_zone
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
       where e.website_id = any (array(select w.id from websites w
                                        where w.user_id = own_team() and (w.user_id = reading_team() or w.id = any (guest_websites()))))
         and e.website_id <> all (array(select w.id from websites w where w.user_id = own_team() and w.is_sample))
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

-- Locks a team until the end of the transaction, so that a count of its rows stays valid until then. Nodes of the previous version lock
-- the user instead. Editors may not change the row of the team, so this function gives itself access.
create or replace function lock_team(team bigint) returns void
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  if team is distinct from own_team() and before <> 'on' then
    raise insufficient_privilege using message = 'only members can lock a team';
  end if;
  perform set_config('belfry.across_users', 'on', true);
  perform from users where id = team for no key update;
  perform from teams where id = team for no key update;
  perform set_config('belfry.across_users', before, true);
end
$$;

-- Whether the caller is a member of the team.
create or replace function is_own_team(team bigint) returns boolean
language sql stable
as $$ select exists (select from team_members m where m.team_id = team and m.user_id = own_user()) $$;

-- Lists the members of the caller's team, from most to least rights, or only one of them. Other people's rows in `users` are hidden, so
-- this function gives itself access to their addresses. Guests get nothing.
create or replace function list_members(member bigint)
returns table (user_id bigint, email text, role text, guest_can_edit boolean, website_ids bigint[], status_page_ids bigint[],
               joined_at timestamptz)
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  return query
    select m.user_id, u.email, m.role, m.guest_can_edit,
           case when m.role = 'guest' then array(select g.website_id from guest_websites g
                                                  where g.team_id = m.team_id and g.user_id = m.user_id order by 1) end,
           case when m.role = 'guest' then array(select g.page_id from guest_status_pages g
                                                  where g.team_id = m.team_id and g.user_id = m.user_id order by 1) end,
           m.joined_at
      from team_members m
      join users u on u.id = m.user_id
     where m.team_id = reading_team() and (member is null or m.user_id = member)
     order by array_position(array['owner', 'admin', 'editor', 'viewer', 'guest'], m.role), lower(u.email);
  perform set_config('belfry.across_users', before, true);
end
$$;

-- The address of a member of the caller's team. Other people's rows in `users` are hidden, as above.
create or replace function member_email(member bigint) returns text
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
  found_email text;
begin
  perform set_config('belfry.across_users', 'on', true);
  select u.email into found_email
    from team_members m join users u on u.id = m.user_id
   where m.team_id = reading_team() and m.user_id = member;
  perform set_config('belfry.across_users', before, true);
  return found_email;
end
$$;

-- Whether the inviter may still invite people in this role, so that an invitation ends with the right to send it. A null inviter is the
-- operator of the server.
create or replace function may_invite(inviter bigint, team bigint, invited_role text) returns boolean
language sql stable
as $$
  select inviter is null
      or exists (select from team_members m
                  where m.team_id = team and m.user_id = inviter
                    and (m.role = 'owner' or (m.role = 'admin' and invited_role <> 'owner')))
$$;

-- Lists the open invitations of the caller's team, newest first, or only one of them, for those who manage its people. Other people's
-- rows in `users` are hidden, so this function gives itself access to the addresses of the inviters.
create or replace function list_invitations(at_time timestamptz, invitation bigint)
returns table (id bigint, email text, role text, guest_can_edit boolean, website_ids bigint[], page_ids bigint[], invited_by text,
               is_mailed boolean, created_at timestamptz, expires_at timestamptz)
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  return query
    select i.id, i.email, i.role, i.guest_can_edit, i.website_ids, i.page_ids, u.email, i.is_mailed, i.created_at, i.expires_at
      from invitations i
      left join users u on u.id = i.invited_by
     where i.team_id = managing_team() and (invitation is null or i.id = invitation) and i.expires_at > at_time
       and may_invite(i.invited_by, i.team_id, i.role)
     order by i.id desc;
  perform set_config('belfry.across_users', before, true);
end
$$;

-- A new address or password ends all links that were sent before: to an old address, or at the request of somebody who knew the old
-- password.
create or replace function end_account_links() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  delete from account_links where user_id = new.id;
  perform set_config('belfry.across_users', before, true);
  return null;
end
$$;

-- Creates a team that the user owns, and returns its id, which is the user's own if it is given.
create or replace function found_team(owner bigint, team_name text, own_id bigint default null) returns bigint
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
  team bigint;
begin
  if owner is distinct from own_user() and before <> 'on' then
    raise insufficient_privilege using message = 'a user can found only teams of their own';
  end if;
  perform set_config('belfry.across_users', 'on', true);
  team := coalesce(own_id, nextval(pg_get_serial_sequence('users', 'id')));
  insert into teams (id, name, created_at) values (team, team_name, now());
  insert into team_members (team_id, user_id, role, joined_at) values (team, owner, 'owner', now());
  perform set_config('belfry.across_users', before, true);
  return team;
end
$$;

-- Every user has a team. A new user gets one of their own.
create or replace function found_own_team() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  perform found_team(new.id, left(new.email, 100), new.id);
  perform set_config('belfry.across_users', before, true);
  return null;
end
$$;

-- Deletes the teams that have no other members than the deleted user.
create or replace function delete_lone_teams() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  -- Locks the teams, so that nobody joins one in the meantime.
  perform from teams t join team_members m on m.team_id = t.id where m.user_id = old.id order by t.id for update of t;
  perform set_config('belfry.deleted_user', old.id::text, true);
  delete from teams t
   where t.id in (select m.team_id from team_members m where m.user_id = old.id)
     and not exists (select from team_members m where m.team_id = t.id and m.user_id <> old.id);
  perform set_config('belfry.deleted_user', '', true);
  perform set_config('belfry.across_users', before, true);
  return old;
end
$$;

-- Editors may only change how the team is alerted.
create or replace function guard_team() returns trigger
language plpgsql
as $$
begin
  if new.id is distinct from managing_team() and not looks_across_users() then
    raise insufficient_privilege using message = 'only owners and admins change the settings of a team';
  end if;
  return new;
end
$$;

-- Keeps the rules about the members of a team, whoever changes them: only owners appoint and remove owners, a team has an owner, and
-- a user who has lost their last team gets a new one.
create or replace function guard_members() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  -- The members of a deleted user or team are deleted by another trigger.
  if pg_trigger_depth() = 1 and own_team() = old.team_id and before <> 'on'
     and current_setting('belfry.role', true) is distinct from 'owner'
     and 'owner' in (old.role, case when tg_op = 'UPDATE' then new.role end) then
    raise insufficient_privilege using message = 'only owners appoint and remove owners';
  end if;
  perform set_config('belfry.across_users', 'on', true);
  if old.role = 'owner' then
    -- Two owners who leave at the same time wait for each other here.
    perform from teams where id = old.team_id for no key update;
    if found and not exists (select from team_members where team_id = old.team_id and role = 'owner') then
      raise check_violation using message = 'a team needs an owner', constraint = 'teams_owner_check';
    end if;
  end if;
  if tg_op = 'DELETE' and current_setting('belfry.deleted_user', true) is distinct from old.user_id::text then
    perform from users where id = old.user_id for no key update;
    if found and not exists (select from team_members where user_id = old.user_id) then
      perform found_team(old.user_id, (select left(email, 100) from users where id = old.user_id));
    end if;
  end if;
  perform set_config('belfry.across_users', before, true);
  return null;
end
$$;

create or replace function note_website_creator() returns trigger
language plpgsql
as $$
begin
  new.created_by := coalesce(new.created_by, own_user());
  return new;
end
$$;

-- Nodes of the previous version save these settings with the user.
create or replace function copy_alert_settings() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  update teams set group_alerts = new.group_alerts, silence_alarms_a_year = new.silence_alarms_a_year where id = new.id;
  perform set_config('belfry.across_users', before, true);
  return null;
end
$$;

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
    update websites
       set user_id = target,
           created_by = coalesce(created_by, (select u.id from users u where u.id = source))
     where user_id = source and id = website;
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

-- The audit log. Triggers (0017_teams.sql) add an entry in the transaction of each change, whoever makes it. Their conditions contain
-- `pg_trigger_depth() = 0`, so that rows which PostgreSQL deletes together with another row have no entries of their own.
--
-- The settings of a transaction, of which Belfry sets the first two:
--
--   belfry.audit         where the change comes from, as JSON: key (id), command, ip, request_id. Nothing else knows the key
--   belfry.audit_move    on while a website or monitor moves to another team. Then there is no entry except that of the move
--   belfry.audit_actor   who makes the change, found once
--   belfry.audit_first   the id of the transaction's first entry
--   belfry.audit_list    the object whose list of monitors, websites or status pages is changing
--   belfry.audit_before  that list as it was before the transaction

-- Returns these fields of an object.
create or replace function pick_fields(source jsonb, names text[]) returns jsonb
language plpgsql immutable
as $$
begin
  return (select coalesce(jsonb_object_agg(name, source -> name), '{}') from unnest(names) as name);
end
$$;

-- Returns the fields of an object under names that begin with the name of the object, such as `http.method`.
create or replace function prefix_fields(prefix text, source jsonb) returns jsonb
language plpgsql immutable
as $$
begin
  if source is null or jsonb_typeof(source) <> 'object' then
    return '{}';
  end if;
  return (select coalesce(jsonb_object_agg(prefix || '.' || key, value), '{}') from jsonb_each(source));
end
$$;

create or replace function format_api_time(at timestamptz) returns text
language sql immutable
as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Returns the fields of a row that the log records, under the names of the API. Columns that are not named here stay out of the log.
-- Passwords and other secrets are hidden later (`hide_secrets`), after two versions of the row were compared.
create or replace function audited_fields(source text, r jsonb) returns jsonb
language plpgsql stable
as $$
begin
  return case source
    when 'websites' then
      pick_fields(r, '{domain,privacy,email,exclude_bots,exclude_params,exclude_ips,favorite,time_zone,tags,watch_traffic,watch_spikes,quiet_days,holidays}')
        || jsonb_build_object('password', r -> 'password_hash')
    when 'monitors' then
      pick_fields(r, '{friendly_name,url,type,retries,tags,depends_on}')
        || jsonb_build_object('interval', r -> 'interval_seconds', 'timeout', r -> 'timeout_seconds',
             'retry_interval', r -> 'retry_interval_seconds', 'remind_every', r -> 'remind_every_minutes',
             'watched_website_id', r -> 'website_id', 'is_active', r ->> 'status' <> 'paused', 'http.headers', r -> 'http_headers')
        || prefix_fields('http', r -> 'http') || prefix_fields(r ->> 'type', r -> 'options')
    when 'providers' then
      pick_fields(r, '{provider_type,name,assign_by_default,secrets}') || (r -> 'settings')
    when 'assignments' then
      pick_fields(r, '{monitor_id,provider_id,enabled,delay_minutes}')
    when 'maintenances' then
      pick_fields(r, '{title,note,all_monitors,tags}')
        || jsonb_build_object('recurrence.cron', r -> 'cron', 'recurrence.time_zone', r -> 'time_zone', 'recurrence.duration_seconds',
             r -> 'duration_seconds', 'recurrence.until', format_api_time((r ->> 'recurs_until')::timestamptz))
    when 'status_pages' then
      pick_fields(r, '{slug,title,description,privacy,custom_domain,theme,accent_color,time_zone,show_response_times}')
        || jsonb_build_object('password', r -> 'password_hash')
    when 'status_page_logos' then
      jsonb_build_object('logo', r -> 'content_hash')
    when 'status_posts' then
      pick_fields(r, '{title,state}') || jsonb_build_object('resolved_at', format_api_time((r ->> 'resolved_at')::timestamptz))
    when 'status_post_updates' then
      pick_fields(r, '{state,body}')
    when 'status_post_templates' then
      pick_fields(r, '{name,title,state,body}')
    when 'incidents' then
      pick_fields(r, '{acknowledged_by}')
        || jsonb_build_object('acknowledged_at', format_api_time((r ->> 'acknowledged_at')::timestamptz))
    when 'incident_notes' then
      pick_fields(r, '{text,author}')
    when 'api_keys' then
      pick_fields(r, '{name,scopes,prefix,allowed_ips}')
        || jsonb_build_object('expires_at', format_api_time((r ->> 'expires_at')::timestamptz))
    when 'teams' then
      pick_fields(r, '{name,group_alerts,silence_alarms_a_year,requires_second_factor}')
    when 'team_members' then
      jsonb_build_object('role', r -> 'role', 'access', case when r ->> 'role' <> 'guest' then null
                                                             when (r ->> 'guest_can_edit')::boolean then 'edit' else 'read' end)
    when 'invitations' then
      pick_fields(r, '{email,role}')
        || jsonb_build_object('access', case when r ->> 'role' <> 'guest' then null
                                             when (r ->> 'guest_can_edit')::boolean then 'edit' else 'read' end,
             'website_ids', nullif(r -> 'website_ids', '[]'), 'status_page_ids', nullif(r -> 'page_ids', '[]'),
             'expires_at', format_api_time((r ->> 'expires_at')::timestamptz))
    when 'users' then
      pick_fields(r, '{email}') || jsonb_build_object('password', r -> 'password_hash')
    when 'passkeys' then
      pick_fields(r, '{name}')
    when 'identities' then
      pick_fields(r, '{issuer,subject,email}')
    else '{}'
  end;
end
$$;

create or replace function hide_url_password(content text) returns text
language sql immutable
as $$ select regexp_replace(content, '([a-z][a-z0-9+.-]*://[^\s/?#@:]*):[^\s/?#]*@', '\1:[hidden]@', 'gi') $$;

-- Hides secrets, shortens an object that would make the log large, and removes passwords from URLs. Texts that monitors send may contain
-- passwords, too. The log says that such a field changed, but not how.
create or replace function hide_secrets(source jsonb) returns jsonb
language plpgsql immutable
as $$
begin
  return (
    select jsonb_object_agg(key,
             case
               when jsonb_typeof(value) in ('null', 'boolean', 'number') then value
               when key in ('password', 'secrets', 'http.headers', 'http.body', 'tcp.send') then '"[hidden]"'
               when length(value::text) > 10000 then '"[too long]"'
               when jsonb_typeof(value) = 'string' then to_jsonb(hide_url_password(value #>> '{}'))
               else value
             end)
      from jsonb_each(source));
end
$$;

-- Who makes the changes of this transaction, as JSON. Without a caller it is `person`, who for example accepts an invitation or opens a
-- link to reset their password, and otherwise Belfry itself.
create or replace function find_audit_actor(person bigint) returns jsonb
language plpgsql
as $$
declare
  origin jsonb := nullif(current_setting('belfry.audit', true), '');
  known text := current_setting('belfry.audit_actor', true);
  by_user bigint := coalesce(own_user(), person);
  actor jsonb;
begin
  if known <> '' then
    return known;
  end if;
  if origin ? 'command' then
    actor := jsonb_build_object('kind', 'command', 'name', origin -> 'command');
  elsif origin ? 'key' then
    actor := jsonb_build_object('kind', 'key', 'id', origin -> 'key',
                                'name', coalesce((select k.name from api_keys k where k.id = (origin ->> 'key')::bigint),
                                                  'API key ' || (origin ->> 'key')));
  elsif by_user is not null then
    actor := jsonb_build_object('kind', 'user', 'id', by_user, 'name', (select u.email from users u where u.id = by_user));
  else
    actor := jsonb_build_object('kind', 'server', 'name', 'Belfry');
  end if;
  actor := actor || pick_fields(coalesce(origin, '{}'), '{ip,request_id}');
  if by_user is not distinct from own_user() then
    perform set_config('belfry.audit_actor', actor::text, true);
  end if;
  return actor;
end
$$;

-- Adds an entry. `old_fields` is null if the object is new, and `new_fields` if it was deleted. If both are equal, there is no entry.
--
-- With `merges`, the change completes the entry that this transaction has already added about the same object: a status page and its
-- groups, for example, are in several tables. If it is a list (`is_list`), `old_fields` is what it was before the transaction.
--
-- There is no entry about a team that is being deleted.
create or replace function add_audit_entry(
  team bigint, object_kind text, object_key bigint, object_label text, verb text, old_fields jsonb, new_fields jsonb,
  merges boolean default false, is_list boolean default false, person bigint default null
) returns void
language plpgsql
as $$
declare
  first_id bigint := nullif(current_setting('belfry.audit_first', true), '');
  changed_from jsonb := old_fields;
  changed_to jsonb := new_fields;
  actor jsonb;
  entry audit_log;
begin
  if old_fields is not null and new_fields is not null then
    select jsonb_object_agg(name, coalesce(old_fields -> name, 'null')), jsonb_object_agg(name, coalesce(new_fields -> name, 'null'))
      into changed_from, changed_to
      from jsonb_object_keys(old_fields || new_fields) as name
     where coalesce(old_fields -> name, 'null') <> coalesce(new_fields -> name, 'null');
  else
    select jsonb_object_agg(o.key, o.value) into changed_from from jsonb_each(old_fields) o where o.value <> 'null';
    select jsonb_object_agg(n.key, n.value) into changed_to from jsonb_each(new_fields) n where n.value <> 'null';
  end if;
  changed_from := hide_secrets(changed_from);
  changed_to := hide_secrets(changed_to);

  if merges and first_id is not null then
    select * into entry
      from audit_log e
     where e.team_id = team and e.object = object_kind and e.object_id = object_key and e.id >= first_id
       and e.xmin = pg_current_xact_id()::xid and e.action <> object_kind || '.deleted'
     order by e.id desc
     limit 1;
    if found then
      if is_list then
        entry.before := coalesce(entry.before, '{}') - array(select jsonb_object_keys(old_fields));
        entry.after := coalesce(entry.after, '{}') - array(select jsonb_object_keys(old_fields));
      end if;
      entry.before := nullif(coalesce(changed_from, '{}') || coalesce(entry.before, '{}'), '{}');
      entry.after := nullif(coalesce(entry.after, '{}') || coalesce(changed_to, '{}'), '{}');
      if entry.action in (object_kind || '.created', object_kind || '.joined') then
        entry.before := null;
      elsif entry.action = object_kind || '.changed' then
        entry.action := object_kind || '.' || verb;
      end if;
      if entry.action = object_kind || '.changed' and entry.before is null and entry.after is null then
        delete from audit_log e where e.id = entry.id;
      else
        update audit_log e set action = entry.action, before = entry.before, after = entry.after where e.id = entry.id;
      end if;
      return;
    end if;
  end if;

  if changed_from is null and changed_to is null then
    return;
  end if;
  actor := find_audit_actor(person);
  insert into audit_log (team_id, actor_kind, actor_id, actor_name, action, object, object_id, object_name, before, after, ip, request_id)
  select t.id, actor ->> 'kind', (actor ->> 'id')::bigint, coalesce(actor ->> 'name', '?'), object_kind || '.' || verb, object_kind,
         object_key, left(hide_url_password(object_label), 300), changed_from, changed_to, actor ->> 'ip', actor ->> 'request_id'
    from teams t where t.id = team
  returning id into entry.id;
  if first_id is null and entry.id is not null then
    perform set_config('belfry.audit_first', entry.id::text, true);
  end if;
end
$$;

-- Whether somebody makes the changes of this transaction: a caller, a command, or whoever uses a link. Belfry itself changes many monitors
-- in one statement, so such changes of monitors have no entries.
create or replace function has_actor() returns boolean
language sql stable
as $$ select concat(current_setting('belfry.user_id', true), current_setting('belfry.audit', true)) <> '' $$;

-- Records a change of a row that belongs to a team. The argument of the trigger is the kind of object.
create or replace function record_change() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  object_kind text := tg_argv[0];
  r jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  old_fields jsonb;
  new_fields jsonb;
  team bigint := coalesce(r ->> 'team_id', r ->> 'user_id')::bigint;
  object_key bigint := r -> 'id';
  label text;
  verb text := case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'deleted' end;
begin
  if tg_op = 'UPDATE' and old_row ->> 'user_id' <> r ->> 'user_id' and tg_table_name in ('websites', 'monitors') then
    perform record_move(object_kind, old_row, r);
    return null;
  end if;
  if current_setting('belfry.audit_move', true) = 'on' or (object_kind = 'monitor' and not has_actor()) then
    return null;
  end if;
  perform set_config('belfry.across_users', 'on', true);
  if tg_op = 'UPDATE' and tg_nargs > 1 then
    -- A monitor was paused or resumed. Comparing nothing else makes a bulk action faster.
    old_fields := jsonb_build_object('is_active', old_row ->> 'status' <> 'paused');
    new_fields := jsonb_build_object('is_active', r ->> 'status' <> 'paused');
  else
    old_fields := case when tg_op <> 'INSERT' then audited_fields(tg_table_name, old_row) end;
    new_fields := case when tg_op <> 'DELETE' then audited_fields(tg_table_name, r) end;
  end if;
  case tg_table_name
    when 'websites' then label := coalesce(r ->> 'unicode', r ->> 'domain');
    when 'monitors' then
      label := r ->> 'friendly_name';
      if tg_op = 'UPDATE' and old_fields -> 'is_active' <> new_fields -> 'is_active' then
        verb := case when (new_fields -> 'is_active')::boolean then 'resumed' else 'paused' end;
      end if;
    when 'providers' then label := coalesce(r ->> 'name', r ->> 'provider_type');
    when 'incidents', 'incident_notes' then
      object_key := coalesce(r -> 'incident_id', r -> 'id');
      label := (select m.friendly_name from monitors m where m.user_id = team and m.id = (r -> 'monitor_id')::bigint);
      verb := case when tg_table_name = 'incident_notes' then case tg_op when 'INSERT' then 'note_added' else 'note_deleted' end
                   when r ->> 'acknowledged_at' is not null then 'acknowledged' else 'acknowledgement_removed' end;
    when 'status_page_logos' then
      object_key := r -> 'page_id';
      label := (select p.title from status_pages p where p.user_id = team and p.id = object_key);
      verb := 'changed';
      old_fields := coalesce(old_fields, '{"logo": null}');
      new_fields := coalesce(new_fields, '{"logo": null}');
    when 'status_post_updates' then
      object_key := r -> 'post_id';
      label := (select p.title from status_posts p where p.user_id = team and p.id = object_key);
      -- The first update is the text of the post itself.
      verb := case when not exists (select from status_post_updates u
                                     where u.user_id = team and u.post_id = object_key and u.id < (r -> 'id')::bigint) then 'changed'
                   when tg_op = 'INSERT' then 'update_added' when tg_op = 'UPDATE' then 'update_changed' else 'update_deleted' end;
    when 'api_keys' then
      label := r ->> 'name';
      verb := case when tg_op = 'DELETE' then 'revoked' else verb end;
      if tg_op = 'DELETE' and object_key = (nullif(current_setting('belfry.audit', true), '')::jsonb -> 'key')::bigint then
        -- A key that revokes itself can't be found any more.
        perform set_config('belfry.audit_actor', (find_audit_actor(null) || jsonb_build_object('name', label))::text, true);
      end if;
    when 'invitations' then
      label := r ->> 'email';
      if tg_op = 'DELETE' and own_user() is null and coalesce(current_setting('belfry.audit', true), '') = ''
         and (r ->> 'expires_at')::timestamptz <= now() then
        -- Belfry deletes expired invitations.
        perform set_config('belfry.across_users', across, true);
        return null;
      end if;
      -- Whoever accepts an invitation has no rights in the team yet.
      verb := case when tg_op <> 'DELETE' then verb
                   when managing_team() = team or current_setting('belfry.audit', true) like '%"command"%' then 'revoked'
                   else 'accepted' end;
    when 'teams' then
      team := object_key;
      label := r ->> 'name';
      verb := case when tg_op = 'UPDATE' and old_row ->> 'name' <> label then 'renamed' else verb end;
    else label := coalesce(r ->> 'name', r ->> 'title');
  end case;
  if tg_table_name = 'monitors' and tg_op = 'UPDATE' and old_row -> 'sample_website_id' <> r -> 'sample_website_id' then
    -- The entry about the sample website is enough.
    delete from audit_log e
     where e.team_id = team and e.object = 'monitor' and e.object_id = object_key and e.xmin = pg_current_xact_id()::xid
       and e.id >= nullif(current_setting('belfry.audit_first', true), '')::bigint;
  else
    perform add_audit_entry(team, object_kind, object_key, label, verb, old_fields, new_fields,
      merges => tg_table_name in ('status_page_logos', 'status_post_updates') or tg_op = 'UPDATE' and tg_table_name <> 'incidents');
  end if;
  perform set_config('belfry.across_users', across, true);
  return null;
end
$$;

-- Adds an entry to the logs of both teams if a website or monitor has moved. The monitor of a website's traffic alerts moves with the website.
create or replace function record_move(object_kind text, old_row jsonb, new_row jsonb) returns void
language plpgsql
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  teams_moved bigint[] := array[old_row -> 'user_id', new_row -> 'user_id'];
  team bigint;
begin
  if new_row ->> 'website_id' is not null then
    return;
  end if;
  perform set_config('belfry.across_users', 'on', true);
  foreach team in array teams_moved loop
    perform add_audit_entry(team, object_kind, (new_row -> 'id')::bigint,
      coalesce(new_row ->> 'friendly_name', new_row ->> 'unicode', new_row ->> 'domain'), 'moved',
      (select jsonb_build_object('team_id', t.id, 'team', t.name) from teams t where t.id = teams_moved[1]),
      (select jsonb_build_object('team_id', t.id, 'team', t.name) from teams t where t.id = teams_moved[2]));
  end loop;
  perform set_config('belfry.across_users', across, true);
end
$$;

-- Records that channels were assigned to monitors, or no longer are. One statement can change thousands of assignments. Those of a new
-- monitor are part of its creation.
create or replace function record_assignments() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  changed record;
begin
  if current_setting('belfry.audit_move', true) = 'on' then
    return null;
  end if;
  perform set_config('belfry.across_users', 'on', true);
  -- A name of a transition table that a trigger doesn't have would be an error, so each operation has its own query.
  for changed in execute case tg_op
    when 'INSERT' then 'select n.user_id, n.monitor_id, n.provider_id, null::jsonb as old_row, to_jsonb(n) as new_row from new_rows n order by 2, 3'
    when 'DELETE' then 'select o.user_id, o.monitor_id, o.provider_id, to_jsonb(o) as old_row, null::jsonb as new_row from old_rows o order by 2, 3'
    else 'select n.user_id, n.monitor_id, n.provider_id, to_jsonb(o) as old_row, to_jsonb(n) as new_row
            from new_rows n join old_rows o using (user_id, monitor_id, provider_id) order by 2, 3'
  end
  loop
    continue when tg_op = 'INSERT' and exists (
      select from audit_log e
       where e.team_id = changed.user_id and e.object = 'monitor' and e.object_id = changed.monitor_id and e.action = 'monitor.created'
         and e.id >= nullif(current_setting('belfry.audit_first', true), '')::bigint and e.xmin = pg_current_xact_id()::xid);
    perform add_audit_entry(changed.user_id, 'assignment', changed.monitor_id,
      (select m.friendly_name from monitors m where m.user_id = changed.user_id and m.id = changed.monitor_id)
        || ' → ' || (select coalesce(p.name, p.provider_type) from providers p where p.user_id = changed.user_id and p.id = changed.provider_id),
      case tg_op when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'changed' end,
      case when changed.old_row is not null then audited_fields('assignments', changed.old_row) end,
      case when changed.new_row is not null then audited_fields('assignments', changed.new_row) end);
  end loop;
  perform set_config('belfry.across_users', across, true);
  return null;
end
$$;

-- Returns the lists of an object that are in tables of their own, under the names of the API. Recurring maintenances have many windows, and
-- their other fields say when they take place. Returns null if there is no such object.
create or replace function audited_lists(object_kind text, team bigint, object_key bigint, out label text, out fields jsonb)
language plpgsql stable
as $$
begin
  case object_kind
    when 'maintenance' then
      select t.title,
             jsonb_build_object('monitor_ids', to_jsonb(array(select c.monitor_id from maintenance_monitors c
                                                               where c.user_id = team and c.maintenance_id = object_key order by 1)))
               || case when t.cron is not null then '{}'
                       else jsonb_build_object('starts_at', format_api_time(w.starts_at), 'ends_at', format_api_time(w.ends_at)) end
        into label, fields
        from maintenances t
        left join lateral (select * from maintenance_windows w
                            where w.user_id = team and w.maintenance_id = object_key order by w.starts_at desc limit 1) w on true
       where t.user_id = team and t.id = object_key;
    when 'status_page' then
      select p.title,
             jsonb_build_object('groups', coalesce(
               (select jsonb_agg(jsonb_build_object('name', g.name, 'monitors', listed.monitors) order by g.position)
                  from status_page_groups g
                 cross join lateral (
                    select coalesce(jsonb_agg(jsonb_build_object('monitor_id', m.monitor_id, 'label', m.label) order by m.position), '[]') as monitors
                      from status_page_monitors m
                     where m.user_id = team and m.page_id = object_key and m.group_position = g.position
                  ) listed
                 where g.user_id = team and g.page_id = object_key), '[]'))
        into label, fields
        from status_pages p
       where p.user_id = team and p.id = object_key;
    when 'post' then
      select p.title,
             jsonb_build_object('monitor_ids', to_jsonb(array(select c.monitor_id from status_post_monitors c
                                                               where c.user_id = team and c.post_id = object_key order by 1)))
        into label, fields
        from status_posts p
       where p.user_id = team and p.id = object_key;
    when 'member' then
      select u.email,
             jsonb_build_object('website_ids', to_jsonb(array(select g.website_id from guest_websites g
                                                               where g.team_id = team and g.user_id = object_key order by 1)),
                                'status_page_ids', to_jsonb(array(select g.page_id from guest_status_pages g
                                                                   where g.team_id = team and g.user_id = object_key order by 1)))
        into label, fields
        from team_members m
        join users u on u.id = m.user_id
       where m.team_id = team and m.user_id = object_key;
  end case;
end
$$;

-- Notes what the lists of an object are before the first of their rows changes. The arguments of the trigger are the kind of object, and
-- the columns with its team and its id.
create or replace function keep_lists() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  r jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  object_name text := concat_ws(':', tg_argv[0], r ->> tg_argv[1], r ->> tg_argv[2]);
  lists record;
begin
  if current_setting('belfry.audit_list', true) is distinct from object_name then
    perform set_config('belfry.across_users', 'on', true);
    lists := audited_lists(tg_argv[0], (r -> tg_argv[1])::bigint, (r -> tg_argv[2])::bigint);
    perform set_config('belfry.audit_list', object_name, true), set_config('belfry.audit_before', coalesce(lists.fields::text, ''), true),
            set_config('belfry.across_users', across, true);
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

-- Records how a statement has changed the lists that `keep_lists` has noted.
create or replace function record_lists() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  kept text[] := string_to_array(nullif(current_setting('belfry.audit_list', true), ''), ':');
  kept_fields jsonb := nullif(current_setting('belfry.audit_before', true), '');
  lists record;
begin
  if kept[1] is distinct from tg_argv[0] or kept_fields is null or current_setting('belfry.audit_move', true) = 'on' then
    return null;
  end if;
  perform set_config('belfry.across_users', 'on', true);
  lists := audited_lists(kept[1], kept[2]::bigint, kept[3]::bigint);
  if lists.fields is not null then
    perform add_audit_entry(kept[2]::bigint, kept[1], kept[3]::bigint, lists.label, 'changed', kept_fields, lists.fields,
                            merges => true, is_list => true);
  end if;
  perform set_config('belfry.across_users', across, true);
  return null;
end
$$;

-- Records who joins a team, leaves it or gets another role. The founder of a team is part of its creation.
create or replace function record_member() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  member team_members := case when tg_op = 'DELETE' then old else new end;
begin
  perform set_config('belfry.across_users', 'on', true);
  if tg_op <> 'INSERT' or exists (select from team_members m where m.team_id = member.team_id and m.user_id <> member.user_id) then
    perform add_audit_entry(member.team_id, 'member', member.user_id, (select u.email from users u where u.id = member.user_id),
      case when tg_op = 'INSERT' then 'joined' when tg_op = 'UPDATE' then 'role_changed'
           when own_user() = member.user_id then 'left' else 'removed' end,
      case when tg_op <> 'INSERT' then audited_fields('team_members', to_jsonb(old)) end,
      case when tg_op <> 'DELETE' then audited_fields('team_members', to_jsonb(new)) end,
      merges => tg_op = 'UPDATE', person => member.user_id);
  end if;
  perform set_config('belfry.across_users', across, true);
  return null;
end
$$;

-- Records in every remaining team of a deleted user that they are no longer a member. Their own team and its log are already deleted.
create or replace function record_deleted_user() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  member team_members;
begin
  perform set_config('belfry.across_users', 'on', true);
  for member in select * from team_members m where m.user_id = old.id order by m.team_id loop
    perform add_audit_entry(member.team_id, 'member', old.id, old.email, 'removed', audited_fields('team_members', to_jsonb(member)), null);
  end loop;
  perform set_config('belfry.across_users', across, true);
  return old;
end
$$;

-- Records in all teams of a person how the ways in which they sign in have changed.
create or replace function record_account_change() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  person bigint := coalesce(new_row, old_row) -> case tg_table_name when 'users' then 'id' else 'user_id' end;
  verb text := case tg_table_name
    when 'users' then
      case when old_row ->> 'email' <> new_row ->> 'email' then 'email_changed'
           when own_user() = person and current_setting('belfry.audit', true) not like '%"command"%' then 'password_changed'
           else 'password_reset' end
    else case tg_table_name when 'totp_secrets' then 'second_factor' when 'passkeys' then 'passkey' else 'single_sign_on' end
      || case when tg_table_name = 'identities' then case tg_op when 'DELETE' then '_unlinked' else '_linked' end
              else case tg_op when 'DELETE' then '_removed' else '_added' end end
  end;
  label text;
  team bigint;
begin
  perform set_config('belfry.across_users', 'on', true);
  -- A user who is being deleted is already gone.
  label := (select u.email from users u where u.id = person);
  for team in select m.team_id from team_members m where m.user_id = person and label is not null order by 1 loop
    perform add_audit_entry(team, 'user', person, label, verb,
      case when tg_table_name = 'totp_secrets' then case tg_op when 'DELETE' then '{"authenticator": true}' end::jsonb
           when tg_op <> 'INSERT' then audited_fields(tg_table_name, old_row) end,
      case when tg_table_name = 'totp_secrets' then case when tg_op <> 'DELETE' then '{"authenticator": true}' end::jsonb
           when tg_op <> 'DELETE' then audited_fields(tg_table_name, new_row) end,
      person => person);
  end loop;
  perform set_config('belfry.across_users', across, true);
  return null;
end
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
    where polrelid = target and polname = policy and polpermissive
      and polcmd = case command when 'select' then 'r' when 'insert' then 'a' when 'update' then 'w' when 'delete' then 'd' else '*' end
      and polroles = array[coalesce(grantee::oid, 0)]
      and coalesce(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) = condition
      and (polqual is null or polwithcheck is null);
  if found then
    return;
  end if;
  execute format('drop policy if exists %I on %s', policy, target);
  execute format('create policy %I on %s for %s to %s %s (%s)', policy, target, command, coalesce(grantee::text, 'public'),
                 case command when 'insert' then 'with check' else 'using' end, condition);
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
    perform ensure_policy(target, 'read', 'select', '(user_id = reading_team())');
    perform ensure_policy(target, 'add', 'insert', '(user_id = editing_team())');
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
    with team_tables (table_name) as (
      values
        ('website_icons'),
        ('monitors'),
        ('monitor_states'),
        ('monitor_counts'),
        ('watches'),
        ('incidents'),
        ('incident_notes'),
        ('providers'),
        ('assignments'),
        ('sms_days'),
        ('check_hours'),
        ('check_days'),
        ('alerts'),
        ('maintenances'),
        ('maintenance_monitors'),
        ('maintenance_windows'),
        ('beat_inbox'),
        ('heartbeats'),
        ('traffic_watches'),
        ('beats'),
        ('weekly_reports'),
        ('status_post_templates'),
        ('status_subscribers'),
        ('status_subscriber_monitors'),
        ('status_messages'),
        ('status_confirmations'),
        ('status_announced_maintenances'),
        ('website_suffixes')
    ), policies (table_name, policy, command, condition) as (
      values
        ('users', 'own', 'all', '(id = own_user())'),
        ('users', 'administrator', 'all', 'caller_is_administrator()'),
        ('sessions', 'own', 'all', '(user_id = own_user())'),
        ('idempotency_keys', 'own', 'all', '(user_id = own_team())'),
        -- `enter_team` looks for the key before the caller has a team.
        ('api_keys', 'read', 'select', '(((user_id = own_user()) AND ((own_team() IS NULL) OR (team_id = own_team()))) OR (team_id = managing_team()))'),
        ('api_keys', 'add', 'insert', '((user_id = own_user()) AND (team_id = own_team()))'),
        ('api_keys', 'change', 'update', '(((user_id = own_user()) AND (team_id = own_team())) OR (team_id = managing_team()))'),
        ('api_keys', 'remove', 'delete', '(((user_id = own_user()) AND (team_id = own_team())) OR (team_id = managing_team()))'),
        ('teams', 'read', 'select', 'is_own_team(id)'),
        -- The trigger `guard_team` limits what editors may change.
        ('teams', 'change', 'update', '(id = editing_team())'),
        ('teams', 'remove', 'delete', '(id = managing_team())'),
        ('team_members', 'read', 'select', '((user_id = own_user()) OR (team_id = reading_team()))'),
        ('team_members', 'change', 'update', '(team_id = managing_team())'),
        ('team_members', 'remove', 'delete', '((team_id = managing_team()) OR ((user_id = own_user()) AND (team_id = own_team())))'),
        ('guest_websites', 'read', 'select', '((user_id = own_user()) OR (team_id = reading_team()))'),
        ('guest_websites', 'add', 'insert', '(team_id = managing_team())'),
        ('guest_websites', 'remove', 'delete', '(team_id = managing_team())'),
        ('guest_status_pages', 'read', 'select', '((user_id = own_user()) OR (team_id = reading_team()))'),
        ('guest_status_pages', 'add', 'insert', '(team_id = managing_team())'),
        ('guest_status_pages', 'remove', 'delete', '(team_id = managing_team())'),
        ('invitations', 'read', 'select', '(team_id = managing_team())'),
        -- Only owners invite owners.
        ('invitations', 'add', 'insert', '((team_id = managing_team()) AND ((role <> ''owner''::text) OR (team_id = owning_team())))'),
        ('invitations', 'change', 'update', '((team_id = managing_team()) AND ((role <> ''owner''::text) OR (team_id = owning_team())))'),
        ('invitations', 'remove', 'delete', '(team_id = managing_team())'),
        ('account_links', 'own', 'all', '(user_id = own_user())'),
        ('totp_secrets', 'own', 'all', '(user_id = own_user())'),
        ('recovery_codes', 'own', 'all', '(user_id = own_user())'),
        ('passkeys', 'own', 'all', '(user_id = own_user())'),
        ('identities', 'own', 'all', '(user_id = own_user())'),
        -- Triggers add the rows, and nobody changes them.
        ('audit_log', 'read', 'select', '(team_id = managing_team())'),
        ('websites', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (id = ANY (guest_websites()))))'),
        ('websites', 'add', 'insert', '(user_id = editing_team())'),
        ('websites', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (id = ANY (edited_websites()))))'),
        ('websites', 'remove', 'delete', '(user_id = editing_team())'),
        -- Belfry itself writes these rows while somebody looks at a website.
        ('awaited_websites', 'own', 'all', '((user_id = reading_team()) OR ((user_id = own_team()) AND (website_id = ANY (guest_websites()))))'),
        ('arrivals', 'own', 'all', '((user_id = reading_team()) OR ((user_id = own_team()) AND (website_id = ANY (guest_websites()))))'),
        -- A trigger changes the row when a guest changes a website.
        ('website_counts', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (edited_websites() IS NOT NULL)))'),
        ('website_counts', 'add', 'insert', '(user_id = editing_team())'),
        ('website_counts', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (edited_websites() IS NOT NULL)))'),
        ('status_pages', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (id = ANY (guest_pages()))))'),
        ('status_pages', 'add', 'insert', '(user_id = editing_team())'),
        ('status_pages', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (id = ANY (edited_pages()))))'),
        ('status_pages', 'remove', 'delete', '(user_id = editing_team())'),
        ('status_page_logos', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (page_id = ANY (guest_pages()))))'),
        ('status_page_logos', 'add', 'insert', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_logos', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_logos', 'remove', 'delete', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_groups', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (page_id = ANY (guest_pages()))))'),
        ('status_page_groups', 'add', 'insert', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_groups', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_groups', 'remove', 'delete', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_monitors', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (page_id = ANY (guest_pages()))))'),
        ('status_page_monitors', 'add', 'insert', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_monitors', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_page_monitors', 'remove', 'delete', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_posts', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND (page_id = ANY (guest_pages()))))'),
        ('status_posts', 'add', 'insert', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_posts', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_posts', 'remove', 'delete', '((user_id = editing_team()) OR ((user_id = own_team()) AND (page_id = ANY (edited_pages()))))'),
        ('status_post_updates', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND is_post_of(guest_pages(), user_id, post_id)))'),
        ('status_post_updates', 'add', 'insert', '((user_id = editing_team()) OR ((user_id = own_team()) AND is_post_of(edited_pages(), user_id, post_id)))'),
        ('status_post_updates', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND is_post_of(edited_pages(), user_id, post_id)))'),
        ('status_post_updates', 'remove', 'delete', '((user_id = editing_team()) OR ((user_id = own_team()) AND is_post_of(edited_pages(), user_id, post_id)))'),
        ('status_post_monitors', 'read', 'select', '((user_id = reading_team()) OR ((user_id = own_team()) AND is_post_of(guest_pages(), user_id, post_id)))'),
        ('status_post_monitors', 'add', 'insert', '((user_id = editing_team()) OR ((user_id = own_team()) AND is_post_of(edited_pages(), user_id, post_id)))'),
        ('status_post_monitors', 'change', 'update', '((user_id = editing_team()) OR ((user_id = own_team()) AND is_post_of(edited_pages(), user_id, post_id)))'),
        ('status_post_monitors', 'remove', 'delete', '((user_id = editing_team()) OR ((user_id = own_team()) AND is_post_of(edited_pages(), user_id, post_id)))'),
        ('checks', 'read', 'select', '(user_id = reading_team())'),
        ('checks', 'add', 'insert', '(user_id = editing_team())'),
        ('events', 'opened', 'select', '(website_id = opened_website())'),
        ('visits', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_values', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_days', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_blocks', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_weeks', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_counts', 'opened', 'select', '(website_id = opened_website())'),
        -- Anonymous visitors, who have no team, must not see dropped events.
        ('dropped_events', 'opened', 'select', '((website_id = opened_website()) AND (own_team() IS NOT NULL))')
    ), team_policies (policy, command, condition) as (
      values
        ('read', 'select', '(user_id = reading_team())'),
        ('add', 'insert', '(user_id = editing_team())'),
        ('change', 'update', '(user_id = editing_team())'),
        ('remove', 'delete', '(user_id = editing_team())')
    ), all_policies as (
      select * from policies
      union all
      select table_name, policy, command, condition from team_tables cross join team_policies
    ), partitions as (
      select inhrelid as target, policy, command, condition
        from all_policies join pg_inherits on inhparent = table_name::regclass
    )
    select table_name::regclass as target, policy, command, condition from all_policies
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
