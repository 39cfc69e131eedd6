-- Pages that guide a new user: sample data, and what arrives while a website waits for its first visit.

-- A sample website has generated traffic. It accepts no events and has no weekly report. A user has at most one.
alter table websites
  add column is_sample boolean not null default false,
  add constraint websites_sample_check check (not is_sample or email = 0);
create unique index websites_sample_key on websites (user_id) where is_sample;

-- The sample monitor has generated history. It belongs to the sample website, is deleted with it and can't be resumed, because
-- its domain doesn't exist.
alter table monitors
  add column sample_website_id bigint,
  add constraint monitors_sample_website_fkey foreign key (user_id, sample_website_id) references websites on delete cascade,
  add constraint monitors_sample_check check (sample_website_id is null or status = 'paused');
create index monitors_sample_website_idx on monitors (user_id, sample_website_id) where sample_website_id is not null;

-- Websites whose owner waits for the first visit on a page that is open, or was within the last hour. `address` is an HMAC of
-- the owner's address. Both tables below are unlogged, so backups don't contain them.
create unlogged table awaited_websites (
  user_id bigint not null,
  website_id bigint not null,
  address bytea not null,
  expires_at timestamptz not null,
  primary key (user_id, website_id, address),
  foreign key (user_id, website_id) references websites on delete cascade
);
create index awaited_websites_expires_at_idx on awaited_websites (expires_at);

-- What arrived for an awaited website within the last hour and was not simply counted.
create unlogged table arrivals (
  user_id bigint not null,
  website_id bigint not null,
  -- A drop reason, or one of those in src/traffic/dropped/schema.ts that explain a counted event.
  reason text not null,
  -- What the snippet named, the host of the page, and the excluded range; empty if the reason needs none.
  domain text not null,
  host text not null,
  exclusion text not null,
  -- Whether one of the events came from the address of the owner who waits.
  is_own boolean not null,
  count integer not null,
  last_at timestamptz not null,
  primary key (user_id, website_id, reason, domain, host, exclusion),
  foreign key (user_id, website_id) references websites on delete cascade
);
create index arrivals_last_at_idx on arrivals (last_at);

-- Leases have to survive a crash and reach replicas. An unlogged table is empty after a failover: every node would look expired,
-- and others would send the messages again that it is still sending.
alter table nodes set logged;

-- Icons of websites, fetched from their own servers. Only a cache, so it is unlogged and not part of backups. `image` is null if
-- a website has no icon. One process at a time fetches an icon: the one that has set `claimed_until`.
create unlogged table website_icons (
  user_id bigint not null,
  website_id bigint not null,
  content_type text,
  image bytea check (octet_length(image) <= 65536),
  expires_at timestamptz not null,
  claimed_until timestamptz not null,
  primary key (user_id, website_id),
  foreign key (user_id, website_id) references websites on delete cascade
);
