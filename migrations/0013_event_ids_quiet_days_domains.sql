-- Event ids: an event that a client sends again counts once.

create table event_ids (
  -- A keyed hash of the website and of the id that the client sent.
  key uuid primary key,
  -- When the event was counted. Ten minutes later, an event with the same id counts again.
  at timestamptz not null
);
create index event_ids_at_idx on event_ids (at);

-- Batches of events that nodes have just stored. If the connection is lost before the response arrives, the node looks here whether
-- the batch was stored. An attempt that arrives late finds its key here and stores nothing.
create table event_batches (
  key uuid primary key,
  at timestamptz not null default now(),
  -- false: a website had changed, so the node had to process the events again.
  is_stored boolean not null
);

-- Websites: quiet days and holidays. On these local days, the owner expects few visits. Nodes of schema 12 ignore both columns.
alter table websites
  add column quiet_days date[] not null default '{}' check (cardinality(quiet_days) <= 366),
  -- ISO 3166-1 code of the country whose public holidays are quiet days.
  add column holidays text check (holidays ~ '^[A-Z]{2}$');

-- Status pages: proof that a custom domain leads here.

-- The id of the page's feeds. Entries that began before feed_id_since keep the ids that earlier versions gave them, so that feed
-- readers don't show them twice.
alter table status_pages
  add column feed_id uuid not null default gen_random_uuid(),
  add column feed_id_since timestamptz not null default now();

-- Mail: recipients of test messages, and recipients that block this server.
create table blocked_recipients (
  -- HMAC of the email address.
  address_hash bytea primary key,
  blocked_at timestamptz not null
);

create table test_email_days (
  -- HMAC of the email address.
  address_hash bytea not null,
  day date not null,
  sent integer not null,
  primary key (address_hash, day)
);
