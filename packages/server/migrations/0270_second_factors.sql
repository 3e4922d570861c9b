-- The authenticator app of a user. Its secret is encrypted with SECRET_KEY.
create table totp_factors (
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  secret_sealed bytea not null,
  last_step bigint not null, -- the time step of the newest code that was used: no code works twice
  created_at timestamptz not null default now(),
  primary key (realm_id, user_id)
);

-- Codes for users who have lost their other second factors. Each works once; only hashes are stored.
create table recovery_codes (
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  code_hash bytea not null,
  primary key (realm_id, user_id, code_hash)
);
