-- Bots are accounts; here is what they have besides.

create table bots (
  realm_id bigint not null,
  user_id bigint not null references users,
  default_sending_channel_id bigint references channels,
  default_events_channel_id bigint references channels,
  default_all_public_streams boolean not null default false,
  config_data jsonb not null default '{}',
  primary key (realm_id, user_id)
);

-- Where the messages for an outgoing-webhook bot go. Both secrets are sealed like API keys.
create table bot_services (
  realm_id bigint not null,
  bot_id bigint not null references users,
  base_url text not null,
  interface smallint not null check (interface in (1, 2)), -- 1: our own, 2: like Slack's
  token_sealed bytea not null, -- travels in every request
  secret_sealed bytea not null, -- signs every request
  primary key (realm_id, bot_id)
);

create table bot_storage (
  realm_id bigint not null,
  bot_id bigint not null references users,
  key text not null,
  value text not null
);
-- Keys can be longer than an index entry.
create unique index on bot_storage (realm_id, bot_id, md5(key));

create index users_by_bot_owner on users (realm_id, bot_owner_id) where bot_owner_id is not null;
