-- Who may use this server, and how they show it.

create table instance (
  -- One row: this installation.
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid(),
  secret_fingerprint text,
  claimed_at timestamptz
);
insert into instance default values;

create table users (
  id bigint generated always as identity primary key,
  email text not null check (length(email) <= 254),
  password_hash text not null,
  is_admin boolean not null default false,
  created_at timestamptz not null
);
create unique index users_email_key on users (lower(email));

create table sessions (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  token_hash bytea not null,
  created_at timestamptz not null,
  extended_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index sessions_token_hash_key on sessions (token_hash);
create index sessions_user_id_idx on sessions (user_id);
create index sessions_expires_at_idx on sessions (expires_at);

create table api_keys (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  name text not null check (length(name) between 1 and 100),
  scopes text[] not null check (cardinality(scopes) > 0),
  -- The first characters of the key, by which a person recognises it.
  prefix text not null,
  key_hash bytea not null,
  created_by_key bigint references api_keys on delete set null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index api_keys_key_hash_key on api_keys (key_hash);
create index api_keys_user_id_id_idx on api_keys (user_id, id desc);
create index api_keys_created_by_key_idx on api_keys (created_by_key);

create table idempotency_keys (
  user_id bigint not null references users on delete cascade,
  key text not null,
  -- HMAC of the method, path and body: a body may hold secrets, so it is not kept.
  request_hmac bytea not null,
  location text not null,
  -- json, not jsonb: a repeat gets the same answer to the letter, its order of fields included.
  answer json not null,
  created_at timestamptz not null,
  primary key (user_id, key)
);
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- Requests counted by all nodes together. Lost in a crash, and nobody minds.
create unlogged table rate_counts (
  name text not null,
  window_start bigint not null,
  count integer not null,
  primary key (name, window_start)
);
create index rate_counts_window_start_idx on rate_counts (window_start);
