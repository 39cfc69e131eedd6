-- Who calls, and what their role lets them do. `enter_by_key` and `enter_by_session` set the caller for a transaction. The other files and the statements of stores
-- ask the functions below.

-- The person who calls, or who created the key that calls.
create or replace function own_user() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.user_id', true), '')::bigint $$;

-- The team in which the caller acts, if they may read its rows. Null for guests, who may read only what was shared with them. This can be any
-- team of the caller, not only the one that was created with their account.
create or replace function own_team() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.team_id', true), '')::bigint $$;

-- The team in which the caller acts, also as a guest. Statements about tables with rows that can be shared use it, and those about people.
-- With `coalesce`, PostgreSQL would not find that the policy and the statement contain the same condition.
create or replace function acting_team() returns bigint
language sql stable parallel safe
as $$
  select case when current_setting('belfry.team_id', true) <> '' then current_setting('belfry.team_id', true)
              else nullif(current_setting('belfry.guest_team_id', true), '') end::bigint
$$;

-- Nodes of the previous version use this name for `own_team`.
create or replace function caller_id() returns bigint
language sql stable parallel safe
as $$ select nullif(current_setting('belfry.team_id', true), '')::bigint $$;

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
  foreach setting in array array['across_users', 'administrator', 'website_id', 'team_id', 'guest_team_id', 'role', 'guest_websites', 'guest_pages',
                                 'user_id', 'audit', 'audit_actor', 'audit_move']
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

-- Whether a setting gives the session any right. The team and the role stay set only together with the user.
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

-- Sets the caller for the rest of the transaction, if their key still exists, and returns the role of its user in the team: owner, admin,
-- editor, viewer, guest, or `guest editor` for a guest who may edit. Every request calls this function or the next one in the same batch
-- as its query, so a revoked key or a changed role takes effect immediately on every node. Returns null if the key has ended: the caller
-- can then neither see nor write any row.
--
-- PL/pgSQL prepares each expression anew in each transaction, so this function evaluates as few as possible. PostgreSQL inlines
-- has_rights and switch_role. Most sessions have no rights yet, so drop_rights is rarely called.
create or replace function enter_by_key(team bigint, person bigint, by_key bigint, request_role text) returns text
language plpgsql
as $$
declare
  found_role text;
  ignored text;
begin
  if has_rights() or not switch_role(request_role) then
    ignored := drop_rights(request_role);
  end if;
  ignored := set_config('belfry.user_id', person::text, true) || set_config('belfry.team_id', team::text, true);
  select set_config('belfry.role', case when k.guest_can_edit then 'guest editor' else k.role end, true) into found_role
    from api_keys k
   where k.id = by_key and k.user_id = person and k.team_id = acting_team();
  if found_role in ('owner', 'admin', 'editor', 'viewer') then
    return found_role;
  end if;
  return limit_caller(found_role);
end
$$;

-- The same for a session. Also returns `none` if the session is valid, but its user is not a member of the team: the caller then only has
-- access to their own account. The same goes for `weak`: the team requires a second factor, and the session has not proved one.
create or replace function enter_by_session(team bigint, person bigint, by_session bigint, request_role text) returns text
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
  ignored := set_config('belfry.user_id', person::text, true) || set_config('belfry.team_id', team::text, true);
  select u.is_admin,
         case when t.requires_second_factor and not s.is_strong then 'weak' when m.guest_can_edit then 'guest editor'
              else coalesce(m.role, 'none') end
    into administrator, found_role
    from sessions s
    join users u on u.id = s.user_id
    left join team_members m on m.team_id = team and m.user_id = s.user_id
    left join teams t on t.id = m.team_id
   where s.id = by_session and s.user_id = person;
  if administrator then
    ignored := set_config('belfry.administrator', 'on', true);
  end if;
  if found_role in ('owner', 'admin', 'editor', 'viewer') then
    return set_config('belfry.role', found_role, true);
  end if;
  return limit_caller(found_role);
end
$$;

-- Takes the team from a caller who turns out not to be an owner, admin, editor or viewer of it. `found_role` is null if the key or session has
-- ended. Guests get access to what was shared with them.
create or replace function limit_caller(found_role text) returns text
language plpgsql
as $$
declare
  team bigint := own_team();
begin
  perform set_config('belfry.team_id', '', true), set_config('belfry.role', '', true);
  if found_role is null then
    perform set_config('belfry.user_id', '', true);
  elsif found_role in ('guest', 'guest editor') then
    perform set_config('belfry.guest_team_id', team::text, true), set_config('belfry.role', found_role, true),
            set_config('belfry.guest_websites', array(select g.website_id from guest_websites g
                                                       where g.team_id = team and g.user_id = own_user())::text, true),
            set_config('belfry.guest_pages', array(select g.page_id from guest_status_pages g
                                                    where g.team_id = team and g.user_id = own_user())::text, true);
  end if;
  return found_role;
end
$$;

-- Sets the caller in the same way, for the command line: the operator of the server acts with the rights of an owner. The audit log names
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
as $$
  select coalesce(case when by_key is null then enter_by_session(for_user, for_user, by_session, request_role) not in ('none', 'weak')
                       else enter_by_key(for_user, for_user, by_key, request_role) is not null end, false)
$$;

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

-- Opens the statistics of a website to a member of its team for the rest of the transaction. Set the caller first.
create or replace function open_statistics(website bigint) returns boolean
language plpgsql
as $$
begin
  perform from websites where user_id = acting_team() and id = website;
  if not found then
    return false;
  end if;
  perform set_config('belfry.website_id', website::text, true);
  return true;
end
$$;

-- Opens the statistics of a website that isn't private to an anonymous visitor. The visitor has no team, so they can't
-- see anything else of the team. The server has already checked the password, if there is one. The name is from before teams had guests.
create or replace function open_statistics_to_guest(owner bigint, website bigint, request_role text) returns boolean
language plpgsql
as $$
declare
  is_open boolean;
begin
  perform drop_rights(request_role);
  perform set_config('belfry.team_id', owner::text, true);
  select privacy <> 1 into is_open from websites where user_id = owner and id = website;
  perform set_config('belfry.team_id', '', true);
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
