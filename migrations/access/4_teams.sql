-- The rules about teams, their members and invitations.

-- Locks a team until the end of the transaction, so that a count of its rows stays valid until then. Nodes of the previous version lock
-- the user instead. PostgreSQL locks only rows that the caller may change. Guests and viewers may not change the row of the team, so this
-- function gives itself access.
create or replace function lock_team(team bigint) returns void
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  if team is distinct from acting_team() and before <> 'on' then
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
     where m.team_id = own_team() and (member is null or m.user_id = member)
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
   where m.team_id = own_team() and m.user_id = member;
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

-- Creates a team that the user owns, and returns its id: `own_id` if it is given, otherwise a new one.
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
  insert into sms_days (user_id, day, sent) select team, day, max(sent) from sms_days where deleted_by = owner group by day;
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

-- Deletes the teams that have no other members than the deleted user, and the invitations for the user's address to the teams that stay.
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
  -- guard_members does this for removed members, but can't look up the address of a deleted user.
  delete from invitations i using team_members m
   where m.user_id = old.id and i.team_id = m.team_id and lower(i.email) = lower(old.email);
  perform set_config('belfry.deleted_user', '', true);
  perform set_config('belfry.across_users', before, true);
  return old;
end
$$;

-- Keeps the count of a deleted team, so that teams that the same person creates later start with it. If the team is deleted together with
-- its user, there is no such person, so the count is deleted.
create or replace function keep_sms_counts() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
begin
  perform set_config('belfry.across_users', 'on', true);
  if coalesce(current_setting('belfry.deleted_user', true), '') = '' then
    update sms_days set deleted_by = own_user() where user_id = old.id;
  else
    delete from sms_days where user_id = old.id;
  end if;
  perform set_config('belfry.across_users', before, true);
  return old;
end
$$;

-- Editors may only change how the team is alerted, which doesn't call this trigger.
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

-- Keeps the rules about the members of a team, whoever changes them: only owners appoint and remove owners, a team has an owner, nobody
-- comes back with an invitation from before their removal, and a user who has lost their last team gets a new one.
create or replace function guard_members() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  before text := coalesce(current_setting('belfry.across_users', true), '');
  new_team bigint;
begin
  -- The members of a deleted user or team are deleted by another trigger.
  if pg_trigger_depth() = 1 and acting_team() = old.team_id and before <> 'on'
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
  if tg_op = 'DELETE' then
    -- Somebody who was invited may have joined in another way, so that the invitation is still open.
    delete from invitations i using users u
     where u.id = old.user_id and i.team_id = old.team_id and lower(i.email) = lower(u.email);
  end if;
  if tg_op = 'DELETE' and current_setting('belfry.deleted_user', true) is distinct from old.user_id::text then
    perform from users where id = old.user_id for no key update;
    if found and not exists (select from team_members where user_id = old.user_id) then
      new_team := found_team(old.user_id, (select left(email, 100) from users where id = old.user_id));
      -- Nobody can send more text messages by leaving a team.
      insert into sms_days as days (user_id, day, sent) select new_team, day, sent from sms_days where user_id = old.team_id
      on conflict (user_id, day) do update set sent = greatest(days.sent, excluded.sent);
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
