-- Links to set a new password. Only hashes of their tokens are stored.
create table password_resets (
  token_hash bytea primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  email_key text not null, -- where the link was sent; it dies when the user gets another email
  expires_at timestamptz not null
);
create index on password_resets (realm_id, user_id);

-- The link to set up the first organization, printed at every start until one exists.
create table start_links (
  id integer primary key default 1 check (id = 1),
  token_hash bytea not null
);

-- From where users have signed in, so that a sign-in from elsewhere can be reported to them.
create table sign_in_places (
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  place_hash bytea not null,
  seen_at timestamptz not null default now(),
  primary key (realm_id, user_id, place_hash)
);

alter table realms
  add column deactivated_at timestamptz,
  add column icon_path text, -- of an uploaded image
  add column logo_path text,
  add column night_logo_path text;
