-- Who can see and change what: every policy. All files of this folder are applied again, in the order of their names, whenever one of
-- them or a migration changes. The column user_id of a team's rows contains the id of the team.
--
--   read            rows that the caller may read: those of their team, or what the team has shared with a guest
--   add, change, remove   rows that the caller may insert, update or delete: those of their team, if they are at least an editor
--   own             rows of the caller as a person, such as their sessions. Also the few rows of a team that requests of every role write
--   opened          the traffic of the one website whose statistics `open_statistics` has opened
--   administrator   rows that only an administrator of the server can reach
--   across_users    Belfry's own work across teams: finding a key or a session, housekeeping, backups.
--                   Only for connections of the owner, and only while the setting belfry.across_users is on.
--
-- `1_caller.sql` sets the caller: their user id, their team and their role in it.

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
    perform ensure_policy(target, 'read', 'select', '(user_id = own_team())');
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
        ('idempotency_keys', 'own', 'all', '(user_id = acting_team())'),
        -- A key belongs to a person, and managers see all keys of the team.
        ('api_keys', 'read', 'select', '((team_id = acting_team()) AND ((user_id = own_user()) OR (managing_team() IS NOT NULL)))'),
        ('api_keys', 'add', 'insert', '((user_id = own_user()) AND (team_id = acting_team()))'),
        ('api_keys', 'change', 'update', '(((user_id = own_user()) AND (team_id = acting_team())) OR (team_id = managing_team()))'),
        ('api_keys', 'remove', 'delete', '(((user_id = own_user()) AND (team_id = acting_team())) OR (team_id = managing_team()))'),
        ('teams', 'read', 'select', 'is_own_team(id)'),
        -- The trigger `guard_team` limits what editors may change.
        ('teams', 'change', 'update', '(id = editing_team())'),
        ('teams', 'remove', 'delete', '(id = owning_team())'),
        ('team_members', 'read', 'select', '((user_id = own_user()) OR (team_id = own_team()))'),
        ('team_members', 'change', 'update', '(team_id = managing_team())'),
        -- Everybody can leave, also without the second factor that the team requires.
        ('team_members', 'remove', 'delete', '((team_id = managing_team()) OR (user_id = own_user()))'),
        ('guest_websites', 'read', 'select', '((user_id = own_user()) OR (team_id = own_team()))'),
        ('guest_websites', 'add', 'insert', '(team_id = managing_team())'),
        ('guest_websites', 'remove', 'delete', '(team_id = managing_team())'),
        ('guest_status_pages', 'read', 'select', '((user_id = own_user()) OR (team_id = own_team()))'),
        ('guest_status_pages', 'add', 'insert', '(team_id = managing_team())'),
        ('guest_status_pages', 'remove', 'delete', '(team_id = managing_team())'),
        ('invitations', 'read', 'select', '(team_id = managing_team())'),
        -- Only owners invite owners, and only owners replace or revoke such invitations.
        ('invitations', 'add', 'insert', '((team_id = managing_team()) AND ((role <> ''owner''::text) OR (team_id = owning_team())))'),
        ('invitations', 'change', 'update', '((team_id = managing_team()) AND ((role <> ''owner''::text) OR (team_id = owning_team())))'),
        ('invitations', 'remove', 'delete', '((team_id = managing_team()) AND ((role <> ''owner''::text) OR (team_id = owning_team())))'),
        ('account_links', 'own', 'all', '(user_id = own_user())'),
        ('totp_secrets', 'own', 'all', '(user_id = own_user())'),
        ('recovery_codes', 'own', 'all', '(user_id = own_user())'),
        ('passkeys', 'own', 'all', '(user_id = own_user())'),
        ('identities', 'own', 'all', '(user_id = own_user())'),
        -- Triggers add the rows, and nobody changes them.
        ('audit_log', 'read', 'select', '(team_id = managing_team())'),
        ('websites', 'add', 'insert', '(user_id = editing_team())'),
        ('websites', 'remove', 'delete', '(user_id = editing_team())'),
        ('status_pages', 'add', 'insert', '(user_id = editing_team())'),
        ('status_pages', 'remove', 'delete', '(user_id = editing_team())'),
        -- Belfry itself writes these rows while somebody looks at a website.
        ('awaited_websites', 'own', 'all', '((user_id = acting_team()) AND ((own_team() IS NOT NULL) OR (website_id = ANY (guest_websites()))))'),
        ('arrivals', 'own', 'all', '((user_id = acting_team()) AND ((own_team() IS NOT NULL) OR (website_id = ANY (guest_websites()))))'),
        -- A trigger changes the row when a guest changes a website.
        ('website_counts', 'read', 'select', '((user_id = acting_team()) AND ((own_team() IS NOT NULL) OR (edited_websites() IS NOT NULL)))'),
        ('website_counts', 'add', 'insert', '(user_id = editing_team())'),
        ('website_counts', 'change', 'update', '((user_id = acting_team()) AND ((editing_team() IS NOT NULL) OR (edited_websites() IS NOT NULL)))'),
        ('checks', 'read', 'select', '(user_id = own_team())'),
        ('checks', 'add', 'insert', '(user_id = editing_team())'),
        ('events', 'opened', 'select', '(website_id = opened_website())'),
        ('visits', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_values', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_days', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_blocks', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_weeks', 'opened', 'select', '(website_id = opened_website())'),
        ('traffic_counts', 'opened', 'select', '(website_id = opened_website())'),
        -- Anonymous visitors, who have no team, must not see dropped events.
        ('dropped_events', 'opened', 'select', '((website_id = opened_website()) AND (acting_team() IS NOT NULL))')
    ), shared_tables (table_name, policies, shown, edited) as (
      -- Rows that guests see, and those that guests who may edit can change.
      values
        ('websites', array['read', 'change'], '(id = ANY (guest_websites()))', '(id = ANY (edited_websites()))'),
        ('status_pages', array['read', 'change'], '(id = ANY (guest_pages()))', '(id = ANY (edited_pages()))'),
        ('status_page_logos', null, '(page_id = ANY (guest_pages()))', '(page_id = ANY (edited_pages()))'),
        ('status_page_groups', null, '(page_id = ANY (guest_pages()))', '(page_id = ANY (edited_pages()))'),
        ('status_page_monitors', null, '(page_id = ANY (guest_pages()))', '(page_id = ANY (edited_pages()))'),
        ('status_posts', null, '(page_id = ANY (guest_pages()))', '(page_id = ANY (edited_pages()))'),
        ('status_post_updates', null, 'is_post_of(guest_pages(), user_id, post_id)', 'is_post_of(edited_pages(), user_id, post_id)'),
        ('status_post_monitors', null, 'is_post_of(guest_pages(), user_id, post_id)', 'is_post_of(edited_pages(), user_id, post_id)')
    ), team_policies (policy, command, condition) as (
      values
        -- PostgreSQL finds that statements of stores contain the same condition, so it costs nothing.
        ('read', 'select', '(user_id = own_team())'),
        ('add', 'insert', '(user_id = editing_team())'),
        ('change', 'update', '(user_id = editing_team())'),
        ('remove', 'delete', '(user_id = editing_team())')
    ), all_policies as (
      select * from policies
      union all
      select table_name, policy, command, condition from team_tables cross join team_policies
      union all
      select table_name, policy, p.command,
             case policy when 'read' then format('((user_id = acting_team()) AND ((own_team() IS NOT NULL) OR %s))', shown)
                         else format('((user_id = acting_team()) AND ((editing_team() IS NOT NULL) OR %s))', edited) end
        from shared_tables t join team_policies p on t.policies is null or policy = any (t.policies)
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
