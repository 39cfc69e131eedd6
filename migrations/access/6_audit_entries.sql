-- The audit log. Triggers (0017_teams.sql) add an entry in the transaction of each change, whoever makes it. Their conditions contain
-- `pg_trigger_depth() = 0`, so that rows which PostgreSQL deletes together with another row have no entries of their own.
--
-- The settings of a transaction. The server sets the first one, the functions in 5_moves.sql set the second one, and the functions of the audit
-- log the others:
--
--   belfry.audit         where the change comes from, as JSON: key (id), command, ip, request_id. Only this setting names the key
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
    when 'status_subscribers' then
      -- People ask for their address to be deleted, so the log has only its first character and its domain.
      jsonb_build_object('subscriber', regexp_replace(r ->> 'email', '^(.).*@', '\1…@'))
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
