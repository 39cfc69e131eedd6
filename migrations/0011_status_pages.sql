-- Status pages, with their posts and subscribers.

create table status_pages (
  id bigint generated always as identity,
  user_id bigint not null references users on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$'),
  title text not null check (length(title) between 1 and 100),
  description text,
  -- 0: public, 1: private, 2: password
  privacy smallint not null check (privacy in (0, 1, 2)),
  password_hash text,
  custom_domain text,
  theme text not null check (theme in ('auto', 'light', 'dark')),
  -- For example #0a7d4f. null: Belfry's own color.
  accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
  -- The days of the bars begin and end at midnight in this zone.
  time_zone text not null,
  show_response_times boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When anything changed that the page shows: its settings, groups, logo or posts. Not set when a monitor or a maintenance changes.
  content_changed_at timestamptz not null,
  constraint status_pages_password_check check (privacy <> 2 or password_hash is not null),
  primary key (user_id, id)
);
create unique index status_pages_slug_key on status_pages (slug);
create unique index status_pages_custom_domain_key on status_pages (custom_domain) where custom_domain is not null;

-- The image as it is served: Belfry has checked it and removed everything but the picture.
create table status_page_logos (
  user_id bigint not null,
  page_id bigint not null,
  media_type text not null check (media_type in ('image/png', 'image/svg+xml')),
  content bytea not null,
  -- SHA-256 of the content in hexadecimal digits. Part of the URL, so that browsers can cache the image.
  content_hash text not null,
  primary key (user_id, page_id),
  foreign key (user_id, page_id) references status_pages on delete cascade
);

create table status_page_groups (
  user_id bigint not null,
  page_id bigint not null,
  position smallint not null,
  name text not null,
  primary key (user_id, page_id, position),
  foreign key (user_id, page_id) references status_pages on delete cascade
);

-- A monitor is on a page at most once.
create table status_page_monitors (
  user_id bigint not null,
  page_id bigint not null,
  monitor_id bigint not null,
  group_position smallint not null,
  position smallint not null,
  label text not null,
  primary key (user_id, page_id, monitor_id),
  foreign key (user_id, page_id, group_position) references status_page_groups on delete cascade,
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
create index status_page_monitors_group_idx on status_page_monitors (user_id, page_id, group_position, position);
create index status_page_monitors_monitor_idx on status_page_monitors (user_id, monitor_id);

-- What the owner writes about an outage. The texts are in status_post_updates; the first update is the post's own body.
create table status_posts (
  id bigint generated always as identity,
  user_id bigint not null,
  page_id bigint not null,
  title text not null check (length(title) between 1 and 200),
  -- The state of the latest update.
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  resolved_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint status_posts_resolved_check check ((state = 'resolved') = (resolved_at is not null)),
  primary key (user_id, id),
  foreign key (user_id, page_id) references status_pages on delete cascade
);
create index status_posts_page_idx on status_posts (user_id, page_id, created_at desc, id desc);
create index status_posts_open_idx on status_posts (user_id, page_id) where resolved_at is null;

create table status_post_monitors (
  user_id bigint not null,
  post_id bigint not null,
  monitor_id bigint not null,
  primary key (user_id, post_id, monitor_id),
  foreign key (user_id, post_id) references status_posts on delete cascade,
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
create index status_post_monitors_monitor_idx on status_post_monitors (user_id, monitor_id);

create table status_post_updates (
  id bigint generated always as identity,
  user_id bigint not null,
  post_id bigint not null,
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  -- Markdown, as the owner wrote it. It is made safe when it is shown.
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, id),
  foreign key (user_id, post_id) references status_posts on delete cascade
);
create index status_post_updates_post_idx on status_post_updates (user_id, post_id, id);

-- Texts that the owner saves to begin posts with.
create table status_post_templates (
  id bigint generated always as identity,
  user_id bigint not null references users on delete cascade,
  name text not null check (length(name) between 1 and 100),
  title text not null,
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, id)
);

create table status_subscribers (
  id bigint generated always as identity,
  user_id bigint not null,
  page_id bigint not null,
  email text not null,
  -- The address in lower case, so that the same person is not told twice.
  email_key text not null,
  -- pending: has not opened the link in the confirmation; confirmed; bounced: the mail server of the address rejects messages
  state text not null check (state in ('pending', 'confirmed', 'bounced')),
  -- Whether the subscriber is told about the whole page. Otherwise status_subscriber_monitors lists the monitors.
  all_monitors boolean not null,
  -- Messages in a row that were rejected for good.
  rejections smallint not null default 0,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  constraint status_subscribers_confirmed_check check (state = 'pending' or confirmed_at is not null),
  primary key (user_id, id),
  foreign key (user_id, page_id) references status_pages on delete cascade
);
create unique index status_subscribers_email_key on status_subscribers (user_id, page_id, email_key);
-- Finds the subscriber whose link was opened: links in emails name nothing but the subscriber.
create unique index status_subscribers_id_key on status_subscribers (id);
-- Finds unconfirmed subscribers that have expired.
create index status_subscribers_pending_idx on status_subscribers (created_at) where state = 'pending';

create table status_subscriber_monitors (
  user_id bigint not null,
  subscriber_id bigint not null,
  monitor_id bigint not null,
  primary key (user_id, subscriber_id, monitor_id),
  foreign key (user_id, subscriber_id) references status_subscribers on delete cascade,
  foreign key (user_id, monitor_id) references monitors on delete cascade
);
create index status_subscriber_monitors_monitor_idx on status_subscriber_monitors (user_id, monitor_id);

-- Outbox of the emails to subscribers.
create table status_messages (
  id bigint generated always as identity,
  user_id bigint not null,
  -- The page of the subscriber.
  page_id bigint not null,
  subscriber_id bigint not null,
  kind text not null check (kind in ('confirmation', 'post_update', 'maintenance')),
  -- The id of the update or the maintenance. 0 for a confirmation.
  subject_id bigint not null,
  -- The same for every attempt, so that the receiving mail server can recognize a repeat.
  message_id uuid not null default gen_random_uuid(),
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'cancelled')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  claimed_by bigint,
  answer text,
  created_at timestamptz not null,
  constraint status_messages_waiting_check check ((state = 'waiting') = (next_attempt_at is not null)),
  primary key (user_id, id),
  foreign key (user_id, subscriber_id) references status_subscribers on delete cascade
);
-- Each subscriber is told of everything at most once.
create unique index status_messages_once_key on status_messages (user_id, subscriber_id, kind, subject_id);
-- Messages are sent in turns: one of each page and kind, so that nobody waits until the 10,000 messages of another page are sent.
create index status_messages_due_idx on status_messages (user_id, page_id, kind, next_attempt_at)
  where state = 'waiting' and claimed_by is null;
create index status_messages_created_idx on status_messages (created_at);
create index status_messages_claimed_idx on status_messages (claimed_by) where claimed_by is not null;

-- When confirmations were created, to limit them. The rows outlive their subscribers, so the address is only there as an HMAC.
create table status_confirmations (
  user_id bigint not null,
  page_id bigint not null,
  address_hmac bytea not null,
  created_at timestamptz not null,
  foreign key (user_id, page_id) references status_pages on delete cascade
);
create index status_confirmations_address_idx on status_confirmations (address_hmac, created_at);
create index status_confirmations_page_idx on status_confirmations (user_id, page_id);
create index status_confirmations_created_idx on status_confirmations (created_at);

-- Maintenances whose messages to the subscribers of a page were created. Later subscribers don't get them.
create table status_announced_maintenances (
  user_id bigint not null,
  page_id bigint not null,
  maintenance_id bigint not null,
  announced_at timestamptz not null,
  primary key (user_id, page_id, maintenance_id),
  foreign key (user_id, page_id) references status_pages on delete cascade,
  foreign key (user_id, maintenance_id) references maintenances on delete cascade
);
create index status_announced_maintenances_maintenance_idx on status_announced_maintenances (user_id, maintenance_id);
