-- Incidents: who takes care of one, and notes about it.

alter table incidents
  -- When a person acknowledged the incident: from then on, reminders and delayed alerts about it stop.
  add column acknowledged_at timestamptz,
  -- The email of that person, or the notification channel whose message had the link.
  add column acknowledged_by text,
  add constraint incidents_acknowledged_check check ((acknowledged_at is null) = (acknowledged_by is null));

-- Incidents have an address of their own, and the list of all incidents shows the newest first.
create unique index incidents_id_key on incidents (user_id, id);
create index incidents_started_idx on incidents (user_id, started_at desc, id desc);

create table incident_notes (
  id bigint generated always as identity,
  user_id bigint not null,
  monitor_id bigint not null,
  incident_id bigint not null,
  text text not null check (length(text) between 1 and 5000),
  -- The email of the person who wrote the note.
  author text not null,
  created_at timestamptz not null,
  primary key (user_id, monitor_id, incident_id, id),
  foreign key (user_id, monitor_id, incident_id) references incidents on delete cascade
);

-- Settings that an administrator has saved on a page, such as the public URL. Environment variables override them.
create table server_settings (
  name text primary key,
  -- Encrypted: the value as JSON.
  value bytea not null,
  updated_at timestamptz not null
);
