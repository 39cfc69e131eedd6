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
    when 'status_subscribers' then
      object_key := r -> 'page_id';
      label := (select p.title from status_pages p where p.user_id = team and p.id = object_key);
      verb := 'subscriber_removed';
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
                   when managing_team() = team or nullif(current_setting('belfry.audit', true), '')::jsonb ? 'command' then 'revoked'
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

-- Records who joins a team, leaves it or gets another role. The founder of a team is part of its creation. Accepting an invitation sets the
-- new member as the caller. A change without a caller comes from the role map of single sign-on and is recorded as made by Belfry.
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
      merges => tg_op = 'UPDATE');
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
           when own_user() = person and coalesce(not nullif(current_setting('belfry.audit', true), '')::jsonb ? 'command', true)
             then 'password_changed'
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

-- Records in all teams of a person that they have new recovery codes. Those that come with a second factor are part of its entry.
create or replace function record_recovery_codes() returns trigger
language plpgsql security definer set search_path = belfry, pg_temp
as $$
declare
  across text := coalesce(current_setting('belfry.across_users', true), '');
  renewed record;
begin
  perform set_config('belfry.across_users', 'on', true);
  for renewed in
    select m.team_id, c.user_id, u.email, c.codes
      from (select r.user_id, count(*) as codes from new_rows r group by r.user_id) c
      join users u on u.id = c.user_id
      join team_members m on m.user_id = c.user_id
     order by m.team_id
  loop
    perform add_audit_entry(renewed.team_id, 'user', renewed.user_id, renewed.email, 'recovery_codes_renewed', null,
      jsonb_build_object('recovery_codes', renewed.codes), merges => true, person => renewed.user_id);
  end loop;
  perform set_config('belfry.across_users', across, true);
  return null;
end
$$;
