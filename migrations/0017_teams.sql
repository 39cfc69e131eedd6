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
  primary key (team_id, user_id)
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
  foreach owned in array array['idempotency_keys', 'websites', 'website_counts', 'monitors', 'monitor_counts', 'providers', 'sms_days',
                               'maintenances', 'status_pages', 'status_post_templates']
  loop
    execute format('alter table %1$I drop constraint %1$s_user_id_fkey,
                    add constraint %1$s_user_id_fkey foreign key (user_id) references teams on delete cascade', owned);
  end loop;
end
$$;

-- A session acts in one team. null: the user's own.
alter table sessions
  add column team_id bigint references teams on delete set null;
create index sessions_team_idx on sessions (team_id) where team_id is not null;

-- A key acts in one team, and ends when its user leaves the team.
alter table api_keys
  add column team_id bigint;
update api_keys set team_id = user_id;
alter table api_keys
  alter column team_id set not null,
  add constraint api_keys_member_fkey foreign key (team_id, user_id) references team_members on delete cascade;
create index api_keys_team_idx on api_keys (team_id, id desc);

-- Nodes of the previous version don't know the column.
create function set_key_team() returns trigger
language plpgsql
as $$
begin
  new.team_id := coalesce(new.team_id, new.user_id);
  return new;
end
$$;
create trigger set_key_team before insert on api_keys
  for each row execute function set_key_team();

-- Who gets the weekly report of a website. null: the user with the id of the team, from before there were teams.
alter table websites
  add column created_by bigint references users on delete set null;
create index websites_created_by_idx on websites (created_by) where created_by is not null;

-- The functions of the triggers below are in access.sql, because they look across users.
create function note_website_creator() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger note_website_creator before insert on websites
  for each row execute function note_website_creator();

create function found_own_team() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger found_own_team after insert on users
  for each row execute function found_own_team();

create function delete_lone_teams() returns trigger language plpgsql as $$ begin return old; end $$;
create trigger delete_lone_teams before delete on users
  for each row execute function delete_lone_teams();

create function guard_members() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger guard_members after update or delete on team_members
  for each row execute function guard_members();

create function guard_team() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger guard_team before update on teams
  for each row when (old.name <> new.name) execute function guard_team();

create function copy_alert_settings() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger copy_alert_settings after update of group_alerts, silence_alarms_a_year on users
  for each row when (old.group_alerts <> new.group_alerts or old.silence_alarms_a_year <> new.silence_alarms_a_year)
  execute function copy_alert_settings();
