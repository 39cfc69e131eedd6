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

-- A visit without a page view is a bounce if all its events have "interactive: false". Earlier versions did not count it as one.
-- The lock keeps every node from rolling up events in the meantime: this is TRAFFIC_LOCK in src/traffic/rollup/store.ts.
select pg_advisory_xact_lock(7413905226);
-- The packed visits of these days are written again.
update traffic_days d
   set bounces = d.bounces + passive.visits, is_packed = false, packed_visits = null
  from (select website_id, day, count(*) as visits
          from visits
         where views = 0 and actions = 0
         group by website_id, day) passive
 where d.website_id = passive.website_id and d.day = passive.day;

-- Incidents that 0012 should have scheduled for measuring. It ran without access to the rows of users, so it found none.
update incidents set measure_at = now()
 where measure_at is null and measured_at is null and (resolved_at is null or resolved_at > now() - interval '1 year');

-- Websites: quiet days and holidays. On these local days, the owner expects few visits. Nodes of schema 12 ignore both columns.
alter table websites
  add column quiet_days date[] not null default '{}' check (cardinality(quiet_days) <= 366),
  -- ISO 3166-1 code of the country whose public holidays are quiet days.
  add column holidays text check (holidays ~ '^[A-Z]{2}$');

-- Status pages: proof that a custom domain belongs to the page's owner.

alter table status_pages
  -- Since when the TXT record of the domain has proved that it belongs to the page's owner. Only verified domains are served.
  add column custom_domain_verified_at timestamptz,
  -- When the record was last seen. null: never. A verified domain without it is from before proof was required.
  add column custom_domain_proved_at timestamptz,
  -- When the record was last looked for.
  add column custom_domain_checked_at timestamptz;

-- Domains that are served today stay so, except those at or below another user's website: their owners have to prove that the domain
-- is theirs.
update status_pages p
   set custom_domain_verified_at = now()
 where custom_domain is not null
   and not exists (select from websites w
                    where w.user_id <> p.user_id
                      and (p.custom_domain = w.domain
                           or right(p.custom_domain, length(w.domain) + 1) = '.' || w.domain));

-- Several users can claim a domain, but only one can prove that it is theirs.
drop index status_pages_custom_domain_key;
create unique index status_pages_verified_domain_key on status_pages (custom_domain)
  where custom_domain_verified_at is not null;
create index status_pages_domain_check_idx on status_pages (custom_domain_checked_at nulls first)
  where custom_domain is not null;

-- The proof is for one domain. Nodes of the previous version don't know these columns, but can change the domain.
create function forget_domain_proof() returns trigger
language plpgsql
as $$
begin
  new.custom_domain_verified_at := null;
  new.custom_domain_proved_at := null;
  new.custom_domain_checked_at := null;
  return new;
end
$$;
create trigger forget_domain_proof before update on status_pages
  for each row when (old.custom_domain is distinct from new.custom_domain) execute function forget_domain_proof();

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
