-- Teams: several people share websites, monitors and everything else.
--
-- From here on, the column user_id of all tables except users, sessions, api_keys and the tables below is the id of a team. Every user
-- has a team of their own with the same id, so the rows of earlier versions belong to the right team without being written again, and
-- nodes of the previous version can go on. docs/decisions/0022-teams.md says more.

create table teams (
  -- From the sequence of users.id, so that a team and a user have the same id only if the team is the user's own.
  id bigint primary key,
  name text not null check (length(name) between 1 and 100),
  -- Whether several alerts within a minute are combined into one message.
  group_alerts boolean not null default true,
  -- How many false alarms about missing visits the team accepts a year.
  silence_alarms_a_year numeric(4, 2) not null default 1 check (silence_alarms_a_year between 0.1 and 12),
  -- Whether members need a second factor, or single sign-on, to act in the team with a session.
  requires_second_factor boolean not null default false,
  created_at timestamptz not null
);

create table team_members (
  team_id bigint not null references teams on delete cascade,
  user_id bigint not null references users on delete cascade,
  -- guest: only what was shared with them, see guest_websites and guest_status_pages
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer', 'guest')),
  -- Whether a guest may change what was shared with them.
  guest_can_edit boolean not null default false check (role = 'guest' or not guest_can_edit),
  joined_at timestamptz not null,
  primary key (team_id, user_id),
  -- For the copies in api_keys.
  constraint team_members_role_key unique (team_id, user_id, role, guest_can_edit)
);
create index team_members_user_idx on team_members (user_id);

insert into teams (id, name, group_alerts, silence_alarms_a_year, created_at)
select id, left(email, 100), group_alerts, silence_alarms_a_year, created_at from users;
insert into team_members (team_id, user_id, role, joined_at)
select id, id, 'owner', created_at from users;

-- What a team has shared with its guests.
create table guest_websites (
  team_id bigint not null,
  user_id bigint not null,
  website_id bigint not null,
  primary key (team_id, user_id, website_id),
  foreign key (team_id, user_id) references team_members on delete cascade,
  foreign key (team_id, website_id) references websites (user_id, id) on delete cascade
);
create index guest_websites_website_idx on guest_websites (team_id, website_id);

create table guest_status_pages (
  team_id bigint not null,
  user_id bigint not null,
  page_id bigint not null,
  primary key (team_id, user_id, page_id),
  foreign key (team_id, user_id) references team_members on delete cascade,
  foreign key (team_id, page_id) references status_pages (user_id, id) on delete cascade
);
create index guest_status_pages_page_idx on guest_status_pages (team_id, page_id);

-- Everything that a team owns is deleted together with the team, no longer together with a user.
do $$
declare
  owned text;
begin
  foreach owned in array array['idempotency_keys', 'websites', 'website_counts', 'monitors', 'monitor_counts', 'providers', 'maintenances',
                               'status_pages', 'status_post_templates']
  loop
    execute format('alter table %1$I drop constraint %1$s_user_id_fkey,
                    add constraint %1$s_user_id_fkey foreign key (user_id) references teams on delete cascade', owned);
  end loop;
end
$$;

-- Counts of text messages outlive their team, so that nobody can send more of them by deleting teams and creating new ones. Counts of past
-- days are deleted anyway.
alter table sms_days
  drop constraint sms_days_user_id_fkey,
  -- Who deleted the team. Teams that this person founds on the same day begin with its count.
  add column deleted_by bigint references users on delete cascade;

-- A session acts in one team. null: the user's own.
alter table sessions
  add column team_id bigint references teams on delete set null;
create index sessions_team_idx on sessions (team_id) where team_id is not null;

-- A key acts in one team, and ends when its user leaves the team.
alter table api_keys
  add column team_id bigint,
  -- Copies of the user's role, so that every request with a key reads one row less. The foreign key keeps them equal.
  add column role text not null default 'owner',
  add column guest_can_edit boolean not null default false;
update api_keys set team_id = user_id;
alter table api_keys
  alter column team_id set not null,
  alter column role drop default,
  alter column guest_can_edit drop default,
  add constraint api_keys_member_fkey foreign key (team_id, user_id, role, guest_can_edit)
    references team_members (team_id, user_id, role, guest_can_edit) on update cascade on delete cascade;
create index api_keys_team_idx on api_keys (team_id, id desc);

-- Nodes of the previous version don't know the team. If the user is not a member, the foreign key refuses the row.
create function set_key_member() returns trigger
language plpgsql
as $$
begin
  new.team_id := coalesce(new.team_id, new.user_id);
  select m.role, m.guest_can_edit into new.role, new.guest_can_edit
    from team_members m where m.team_id = new.team_id and m.user_id = new.user_id;
  new.role := coalesce(new.role, 'none');
  new.guest_can_edit := coalesce(new.guest_can_edit, false);
  return new;
end
$$;
create trigger set_key_member before insert on api_keys
  for each row execute function set_key_member();

-- Who gets the weekly report of a website. null: the creator's account was deleted.
alter table websites
  add column created_by bigint references users on delete set null;
update websites set created_by = user_id;
create index websites_created_by_idx on websites (created_by) where created_by is not null;

-- The functions of the triggers below are in access/4_teams.sql, because they look across users.
create function note_website_creator() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger note_website_creator before insert on websites
  for each row execute function note_website_creator();

create function found_own_team() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger found_own_team after insert on users
  for each row execute function found_own_team();

create function delete_lone_teams() returns trigger language plpgsql as $$ begin return old; end $$;
create trigger delete_lone_teams before delete on users
  for each row execute function delete_lone_teams();

create function keep_sms_counts() returns trigger language plpgsql as $$ begin return old; end $$;
create trigger keep_sms_counts before delete on teams
  for each row execute function keep_sms_counts();

create function guard_members() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger guard_members after update or delete on team_members
  for each row execute function guard_members();

create function guard_team() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger guard_team before update on teams
  for each row when (old.name <> new.name or old.requires_second_factor <> new.requires_second_factor) execute function guard_team();

create function copy_alert_settings() returns trigger language plpgsql as $$ begin return null; end $$;
create function end_account_links() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger end_account_links after update of email, password_hash on users
  for each row when (old.email <> new.email or old.password_hash <> new.password_hash)
  execute function end_account_links();

create trigger copy_alert_settings after update of group_alerts, silence_alarms_a_year on users
  for each row when (old.group_alerts <> new.group_alerts or old.silence_alarms_a_year <> new.silence_alarms_a_year)
  execute function copy_alert_settings();

-- Signing in, and what proves who somebody is.

alter table users
  -- false: the account signs in only through single sign-on or with a passkey. password_hash is then the hash of a random password.
  add column has_password boolean not null default true,
  -- When a link in an email, the identity provider or the proxy proved that the address belongs to this person. null: not proved yet.
  add column email_confirmed_at timestamptz,
  -- Whether a copied invitation link created the account. Until the address is proved, the account may belong to somebody else than the
  -- owner of the address.
  add column is_from_copied_link boolean not null default false,
  -- What a passkey stores instead of the id.
  add column passkey_handle uuid not null default gen_random_uuid();
create unique index users_passkey_handle_key on users (passkey_handle);

alter table sessions
  add column method text not null default 'password' check (method in ('password', 'passkey', 'single_sign_on', 'proxy', 'link')),
  -- Whether the user proved a second factor, used a passkey or came through single sign-on.
  add column is_strong boolean not null default false,
  add column user_agent text,
  add column address text,
  -- Single sign-on: the identity, the provider's id of its own session, and the encrypted ID token, which signing out sends back.
  add column issuer text,
  add column subject text,
  add column provider_session text,
  add column id_token bytea;
create index sessions_identity_idx on sessions (issuer, subject) where issuer is not null;

alter table api_keys
  -- null: never
  add column expires_at timestamptz,
  -- IP addresses and networks (CIDR) from which the key may be used. null: from everywhere.
  add column allowed_ips text[],
  add column last_used_ip text;

create table invitations (
  id bigint generated always as identity primary key,
  team_id bigint not null references teams on delete cascade,
  email text not null check (length(email) <= 254),
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer', 'guest')),
  guest_can_edit boolean not null check (role = 'guest' or not guest_can_edit),
  -- What a guest gets.
  website_ids bigint[] not null,
  page_ids bigint[] not null,
  -- Two tokens accept the invitation: that of the link which the inviter copies, and that of the link in the email. Only the second one
  -- proves that whoever opens it has the address, because the inviter knows the first one. It is useless if no email was sent.
  token_hash bytea not null,
  mail_token_hash bytea,
  -- Whether a mail server has accepted the email.
  is_mailed boolean not null,
  -- Invitations end with the inviter's account. null: from the command line.
  invited_by bigint references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index invitations_token_hash_key on invitations (token_hash);
create unique index invitations_mail_token_hash_key on invitations (mail_token_hash);
create unique index invitations_email_key on invitations (team_id, lower(email));
create index invitations_expires_at_idx on invitations (expires_at);
create index invitations_invited_by_idx on invitations (invited_by) where invited_by is not null;

-- Links that were sent to a user. Each works once.
create table account_links (
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  kind text not null check (kind in ('reset_password', 'confirm_email')),
  -- confirm_email: the address that the link proves, which becomes the user's address.
  email text,
  -- Whether the link was sent to the user's address, which using it then proves. false: the command line printed it.
  is_mailed boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint account_links_email_check check ((kind = 'confirm_email') = (email is not null))
);
create index account_links_user_idx on account_links (user_id);
create index account_links_expires_at_idx on account_links (expires_at);

-- The second factor of an authenticator app.
create table totp_secrets (
  user_id bigint primary key references users on delete cascade,
  -- Encrypted.
  sealed_secret bytea not null,
  -- null: the user has not entered a code yet.
  confirmed_at timestamptz,
  -- The time step of the last code. No code of this step or an earlier one is accepted again.
  last_step bigint
);

create table recovery_codes (
  user_id bigint not null references users on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

create table passkeys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_backed_up boolean not null,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index passkeys_credential_id_key on passkeys (credential_id);
create index passkeys_user_idx on passkeys (user_id, id);

-- Accounts of identity providers (OpenID Connect) that can sign in as a user.
create table identities (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users on delete cascade,
  email text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (issuer, subject)
);
create index identities_user_idx on identities (user_id);

-- Sign-ins and enrolments that have begun: challenges of passkeys, states of single sign-on, passwords that wait for a second factor. Also the
-- logout tokens that identity providers have sent.
-- Each row is deleted when it is used. Lost in a crash: the user begins again.
create unlogged table sign_in_attempts (
  token_hash bytea primary key,
  kind text not null,
  -- Encrypted JSON.
  data bytea not null,
  expires_at timestamptz not null
);
create index sign_in_attempts_expires_at_idx on sign_in_attempts (expires_at);

-- Who changed what. Rows are only added, and deleted after 400 days.
create table audit_log (
  id bigint generated always as identity primary key,
  team_id bigint not null references teams on delete cascade,
  -- To the millisecond, like the times of the API.
  at timestamptz(3) not null default now(),
  actor_kind text not null check (actor_kind in ('user', 'key', 'agent', 'command', 'server')),
  -- The id of the user or key. null: the server itself, or a command.
  actor_id bigint,
  -- The email of the user, the name of the key, or the command.
  actor_name text not null,
  -- monitor.paused, member.removed, …
  action text not null,
  object text not null,
  object_id bigint,
  -- What the object is called, so that the log can name it after it was deleted.
  object_name text,
  -- The fields that changed, without secrets. null: the object was created, or deleted.
  before jsonb,
  after jsonb,
  ip text,
  request_id text
);
create index audit_log_team_idx on audit_log (team_id, at desc, id desc);
create index audit_log_object_idx on audit_log (team_id, object, object_id, id desc);
create index audit_log_at_idx on audit_log using brin (at);

-- Entries of the audit log. The functions are in access/, because they look up names across teams. Triggers on tables that Belfry's own
-- work changes name the columns with settings, so that other changes, such as those of checks, don't call them.
create function record_change() returns trigger language plpgsql as $$ begin return null; end $$;
create function record_assignments() returns trigger language plpgsql as $$ begin return null; end $$;
create function record_lists() returns trigger language plpgsql as $$ begin return null; end $$;
create function record_member() returns trigger language plpgsql as $$ begin return null; end $$;
create function record_account_change() returns trigger language plpgsql as $$ begin return null; end $$;
create function record_recovery_codes() returns trigger language plpgsql as $$ begin return null; end $$;
create function keep_lists() returns trigger language plpgsql as $$ begin return case when tg_op = 'DELETE' then old else new end; end $$;
create function record_deleted_user() returns trigger language plpgsql as $$ begin return old; end $$;

create trigger record_change after insert or delete or update of domain, privacy, password_hash, email, exclude_bots, exclude_params,
  exclude_ips, favorite, time_zone, tags, watch_traffic, watch_spikes, quiet_days, holidays, user_id on websites
  for each row when (pg_trigger_depth() = 0) execute function record_change('website');

create trigger record_change after insert or update of friendly_name, url, type, interval_seconds, timeout_seconds, retries,
  retry_interval_seconds, remind_every_minutes, http, http_headers, options, tags, depends_on, website_id, sample_website_id, user_id on
  monitors
  for each row when (pg_trigger_depth() = 0) execute function record_change('monitor');
create trigger record_deletion after delete on monitors
  for each row when (pg_trigger_depth() = 0 and old.sample_website_id is null) execute function record_change('monitor');
-- The checker changes the status of monitors, but pauses and resumes none.
create trigger record_pause after update of status on monitors
  for each row when (pg_trigger_depth() = 0 and (old.status = 'paused') <> (new.status = 'paused'))
  execute function record_change('monitor', 'pause');

create trigger record_change after insert or delete or update of provider_type, name, assign_by_default, settings, secrets on providers
  for each row when (pg_trigger_depth() = 0) execute function record_change('provider');

create trigger record_added after insert on assignments referencing new table as new_rows
  for each statement when (pg_trigger_depth() = 0) execute function record_assignments();
create trigger record_changed after update on assignments referencing old table as old_rows new table as new_rows
  for each statement when (pg_trigger_depth() = 0) execute function record_assignments();
create trigger record_removed after delete on assignments referencing old table as old_rows
  for each statement when (pg_trigger_depth() = 0) execute function record_assignments();

create trigger record_change after insert or delete or update of title, note, cron, time_zone, duration_seconds, recurs_until,
  all_monitors, tags on maintenances
  for each row when (pg_trigger_depth() = 0) execute function record_change('maintenance');

create trigger record_change after insert or delete or update of slug, title, description, privacy, password_hash, custom_domain, theme,
  accent_color, time_zone, show_response_times on status_pages
  for each row when (pg_trigger_depth() = 0) execute function record_change('status_page');

create trigger record_change after insert or delete or update of content_hash on status_page_logos
  for each row when (pg_trigger_depth() = 0) execute function record_change('status_page');

create trigger record_change after insert or delete or update of title, state, resolved_at on status_posts
  for each row when (pg_trigger_depth() = 0) execute function record_change('post');

-- No entry if a visitor unsubscribes or Belfry removes an address that bounces.
create trigger record_removed after delete on status_subscribers
  for each row when (pg_trigger_depth() = 0 and current_setting('belfry.user_id', true) <> '')
  execute function record_change('status_page');

create trigger record_change after insert or delete or update of state, body on status_post_updates
  for each row when (pg_trigger_depth() = 0) execute function record_change('post');

create trigger record_change after insert or delete or update of name, title, state, body on status_post_templates
  for each row when (pg_trigger_depth() = 0) execute function record_change('post_template');

create trigger record_change after update of acknowledged_at on incidents
  for each row when (pg_trigger_depth() = 0 and old.acknowledged_at is distinct from new.acknowledged_at)
  execute function record_change('incident');

create trigger record_change after insert or delete on incident_notes
  for each row when (pg_trigger_depth() = 0) execute function record_change('incident');

create trigger record_change after insert or delete or update of name, scopes, expires_at, allowed_ips on api_keys
  for each row when (pg_trigger_depth() = 0) execute function record_change('api_key');

create trigger record_change after insert or update of name, group_alerts, silence_alarms_a_year, requires_second_factor on teams
  for each row when (pg_trigger_depth() = 0) execute function record_change('team');

create trigger record_change after insert or delete or update of email, role, guest_can_edit, website_ids, page_ids, expires_at on
  invitations
  for each row when (pg_trigger_depth() = 0) execute function record_change('invitation');

create trigger record_member after insert or delete or update of role, guest_can_edit on team_members
  for each row when (pg_trigger_depth() = 0) execute function record_member();
-- Runs after delete_lone_teams, because PostgreSQL calls triggers in the order of their names.
create trigger record_deleted_user before delete on users
  for each row execute function record_deleted_user();

-- Lists that are in tables of their own are a part of their object.
create trigger keep_lists before insert or delete on maintenance_monitors
  for each row when (pg_trigger_depth() = 0) execute function keep_lists('maintenance', 'user_id', 'maintenance_id');
create trigger record_lists after insert or delete on maintenance_monitors
  for each statement when (pg_trigger_depth() = 0) execute function record_lists('maintenance');
create trigger keep_lists before insert or delete or update of starts_at, ends_at on maintenance_windows
  for each row when (pg_trigger_depth() = 0 and current_setting('belfry.user_id', true) <> '')
  execute function keep_lists('maintenance', 'user_id', 'maintenance_id');
create trigger record_lists after insert or delete or update of starts_at, ends_at on maintenance_windows
  for each statement when (pg_trigger_depth() = 0 and current_setting('belfry.user_id', true) <> '')
  execute function record_lists('maintenance');
create trigger keep_lists before insert or update or delete on status_page_groups
  for each row when (pg_trigger_depth() = 0) execute function keep_lists('status_page', 'user_id', 'page_id');
create trigger record_lists after insert or update or delete on status_page_groups
  for each statement when (pg_trigger_depth() = 0) execute function record_lists('status_page');
create trigger keep_lists before insert or update or delete on status_page_monitors
  for each row when (pg_trigger_depth() = 0) execute function keep_lists('status_page', 'user_id', 'page_id');
create trigger record_lists after insert or update or delete on status_page_monitors
  for each statement when (pg_trigger_depth() = 0) execute function record_lists('status_page');
create trigger keep_lists before insert or delete on status_post_monitors
  for each row when (pg_trigger_depth() = 0) execute function keep_lists('post', 'user_id', 'post_id');
create trigger record_lists after insert or delete on status_post_monitors
  for each statement when (pg_trigger_depth() = 0) execute function record_lists('post');
create trigger keep_lists before insert or delete on guest_websites
  for each row when (pg_trigger_depth() = 0) execute function keep_lists('member', 'team_id', 'user_id');
create trigger record_lists after insert or delete on guest_websites
  for each statement when (pg_trigger_depth() = 0) execute function record_lists('member');
create trigger keep_lists before insert or delete on guest_status_pages
  for each row when (pg_trigger_depth() = 0) execute function keep_lists('member', 'team_id', 'user_id');
create trigger record_lists after insert or delete on guest_status_pages
  for each statement when (pg_trigger_depth() = 0) execute function record_lists('member');

-- How people sign in. Counters and the times of last uses change nothing about it.
create trigger record_change after update of email, password_hash on users
  for each row when (pg_trigger_depth() = 0 and (old.email <> new.email or old.password_hash <> new.password_hash))
  execute function record_account_change();
create trigger record_added after insert on totp_secrets
  for each row when (pg_trigger_depth() = 0 and new.confirmed_at is not null) execute function record_account_change();
create trigger record_confirmed after update of confirmed_at on totp_secrets
  for each row when (pg_trigger_depth() = 0 and old.confirmed_at is null and new.confirmed_at is not null)
  execute function record_account_change();
create trigger record_removed after delete on totp_secrets
  for each row when (pg_trigger_depth() = 0 and old.confirmed_at is not null) execute function record_account_change();
create trigger record_change after insert or delete on passkeys
  for each row when (pg_trigger_depth() = 0) execute function record_account_change();
create trigger record_added after insert on recovery_codes referencing new table as new_rows
  for each statement when (pg_trigger_depth() = 0) execute function record_recovery_codes();
create trigger record_change after insert or delete on identities
  for each row when (pg_trigger_depth() = 0) execute function record_account_change();

-- A website or monitor moves to another team together with its rows, in one transaction that checks these keys at its end.
do $$
declare
  reference record;
begin
  for reference in
    select conrelid::regclass as source, conname
      from pg_constraint
     where contype = 'f' and connamespace = 'belfry'::regnamespace and conparentid = 0 and not condeferrable
       and confrelid in ('websites'::regclass, 'monitors'::regclass, 'incidents'::regclass)
  loop
    execute format('alter table %s alter constraint %I deferrable initially immediate', reference.source, reference.conname);
  end loop;
end
$$;
