create table passkeys (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  unique (realm_id, credential_id)
);
create index on passkeys (realm_id, user_id);

-- Challenges and tokens that were accepted and must not be accepted again.
create table used_challenges (
  challenge_hash bytea primary key,
  used_at timestamptz not null default now()
);
