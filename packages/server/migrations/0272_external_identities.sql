-- Accounts at identity providers that sign in to accounts here.
create table external_identities (
  realm_id bigint not null references realms,
  provider text not null,
  subject text not null,
  user_id bigint not null references users,
  created_at timestamptz not null default now(),
  primary key (realm_id, provider, subject),
  unique (realm_id, provider, user_id)
);
create index on external_identities (user_id);
