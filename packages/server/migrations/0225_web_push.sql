-- The key pair by which push services recognize this server. There is one row at most.
create table vapid_keys (
  id boolean primary key default true check (id),
  public_key bytea not null,
  private_key_sealed bytea not null,
  created_at timestamptz not null default now()
);

-- Browsers that want notifications. They end with the session that registered them.
create table web_push_subscriptions (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  credential_id bigint references credentials on delete cascade, -- null: registered with the API key
  endpoint text not null check (length(endpoint) <= 1000),
  public_key bytea not null,
  auth_secret bytea not null,
  created_at timestamptz not null default now(),
  unique (realm_id, endpoint)
);
create index on web_push_subscriptions (realm_id, user_id);
create index on web_push_subscriptions (credential_id);

-- Up to which message the recipients of notifications have been looked up; a row for each realm that has had any.
create table web_push_cursors (
  realm_id bigint primary key references realms,
  last_message bigint not null
);

-- Notifications that may have to be sent. Message 0 is a test.
create table web_push_deliveries (
  subscription_id bigint not null references web_push_subscriptions on delete cascade,
  realm_id bigint not null,
  message_id bigint not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  primary key (subscription_id, message_id)
);
create index on web_push_deliveries (due_at);
