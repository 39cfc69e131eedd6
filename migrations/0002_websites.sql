-- The registry: which websites there are, and how each is to be tracked.

create table websites (
  id bigint generated always as identity,
  user_id bigint not null references users on delete cascade,
  -- As the network knows it: lower case, punycode. "C": compared byte by byte, which also a search relies on.
  domain text collate "C" not null check (length(domain) between 1 and 253),
  -- As people search for it, where that differs.
  unicode text collate "C",
  -- 0 public, 1 private, 2 password
  privacy smallint not null check (privacy between 0 and 2),
  password_hash text,
  -- These two are 0 or 1, as the API has them.
  email smallint not null check (email in (0, 1)),
  exclude_bots smallint not null check (exclude_bots in (0, 1)),
  exclude_params text,
  exclude_ips text,
  favorite boolean not null,
  time_zone text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint websites_password_check check (privacy <> 2 or password_hash is not null),
  primary key (user_id, id)
);
-- These two find one website, whoever's it is. Neither can be walked in order: PostgreSQL would gladly go through the
-- websites of everybody by id or domain until it had met ten of the caller's.
create index websites_id_idx on websites using hash (id);
create unique index websites_domain_key on websites (domain text_pattern_ops);
-- A page of the list in each of its orders, with and without the filter; by id alone the primary key serves.
create index websites_user_id_domain_idx on websites (user_id, domain);
create index websites_user_id_favorite_id_idx on websites (user_id, favorite, id);
create index websites_user_id_favorite_domain_idx on websites (user_id, favorite, domain);

-- What a search looks through: every end of every domain, so that what contains a text is what has an end that begins
-- with it. docs/decisions/0006-search-by-suffix.md says why not trigrams.
create table website_suffixes (
  user_id bigint not null,
  suffix text collate "C" not null,
  website_id bigint not null,
  primary key (user_id, suffix, website_id),
  foreign key (user_id, website_id) references websites on delete cascade
);
create index website_suffixes_user_id_website_id_idx on website_suffixes (user_id, website_id);

-- How many websites a user has: counting 100,000 of them for each page would cost more than the page.
create table website_counts (
  user_id bigint primary key references users on delete cascade,
  total integer not null,
  favorites integer not null,
  -- Another one whenever a website comes, goes or changes its flag: what was found under the same one still holds.
  -- No number, because after a restore a number would come again.
  version uuid not null
);

-- Once a statement and not once a row, so that many at once cost one update of the count.

create function note_added_websites() returns trigger
language plpgsql
as $$
begin
  insert into website_suffixes (user_id, suffix, website_id)
  select distinct a.user_id, substr(spelling, start), a.id
    from added a, unnest(array[a.domain, a.unicode]) spelling, generate_series(1, length(spelling)) start;

  insert into website_counts as counts (user_id, total, favorites, version)
  select user_id, count(*), count(*) filter (where favorite), gen_random_uuid() from added group by user_id
  on conflict (user_id) do update set total = counts.total + excluded.total,
    favorites = counts.favorites + excluded.favorites, version = excluded.version;
  return null;
end
$$;
create trigger note_added after insert on websites referencing new table as added
  for each statement execute function note_added_websites();

create function note_changed_websites() returns trigger
language plpgsql
as $$
begin
  update website_counts counts set favorites = counts.favorites + changed.favorites, version = gen_random_uuid()
    from (select after.user_id, sum(case when after.favorite then 1 else -1 end) as favorites
            from new_rows after join old_rows before on before.id = after.id
           where before.favorite <> after.favorite group by after.user_id) changed
   where counts.user_id = changed.user_id;
  return null;
end
$$;
create trigger note_changed after update on websites referencing old table as old_rows new table as new_rows
  for each statement execute function note_changed_websites();

create function note_removed_websites() returns trigger
language plpgsql
as $$
begin
  update website_counts counts set total = counts.total - gone.total, favorites = counts.favorites - gone.favorites,
         version = gen_random_uuid()
    from (select user_id, count(*) as total, count(*) filter (where favorite) as favorites
            from removed group by user_id) gone
   where counts.user_id = gone.user_id;
  return null;
end
$$;
create trigger note_removed after delete on websites referencing old table as removed
  for each statement execute function note_removed_websites();
