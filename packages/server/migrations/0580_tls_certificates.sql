-- TLS=auto: certificates that Parley orders itself, for all processes on this database.
create table acme_accounts (
  directory text primary key, -- the URL of the certificate authority
  key_sealed bytea not null
);

create table tls_certificates (
  host text primary key,
  chain text, -- null: none yet
  key_sealed bytea,
  not_after timestamptz,
  renew_at timestamptz not null default now(), -- also when an attempt that failed is repeated
  tried_at timestamptz,
  checked_at timestamptz not null default now(), -- when the authority was asked when to renew
  failures integer not null default 0,
  problem text, -- of the last attempt; null: it succeeded
  check ((chain is null) = (key_sealed is null) and (chain is null) = (not_after is null))
);

-- What an authority asks for while an order is in progress.
create table tls_challenges (
  host text primary key,
  token text not null unique,
  key_authorization text not null,
  created_at timestamptz not null default now()
);
