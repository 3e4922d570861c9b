-- Browser sessions and named tokens, besides the API key of each user. Secrets are stored as hashes only.
create table credentials (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  kind text not null check (kind in ('session', 'token')),
  secret_hash bytea not null unique,
  name text not null, -- of a token; empty for sessions
  scopes text[], -- null: everything the user may do
  user_agent text not null,
  ip_address text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  idle_seconds integer, -- ends when not used for so long
  expires_at timestamptz
);
create index on credentials (realm_id, user_id);

-- A queue ends with the session or token that registered it.
alter table queues add column credential_id bigint references credentials on delete cascade;
create index on queues (credential_id) where credential_id is not null;
