-- Event ids: an event that a client sends again counts once.

-- Websites: quiet days and holidays.

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
