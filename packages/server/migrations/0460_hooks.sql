-- Incoming hooks: URLs at which other services post messages through a bot.
create table hooks (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  bot_id bigint not null,
  integration text not null,
  name text not null,
  token_hash bytea unique, -- null: the hook of a bot that sends to /api/v1/external with its API key
  token_sealed bytea,
  channel_id bigint, -- null: direct messages to the owner of the bot
  topic text, -- null: as the integration says
  options jsonb not null default '{}',
  secret_sealed bytea, -- with which the sender signs
  is_enabled boolean not null default true,
  problem_reported boolean not null default false, -- the owner knows that messages cannot be delivered
  created_at timestamptz not null default now(),
  last_at timestamptz,
  received bigint not null default 0,
  primary key (realm_id, id),
  foreign key (realm_id, bot_id) references users (realm_id, id),
  foreign key (realm_id, channel_id) references channels (realm_id, id)
);
create unique index hooks_by_api_key on hooks (realm_id, bot_id, integration) where token_hash is null;
create index hooks_by_bot on hooks (realm_id, bot_id);
create index hooks_by_channel on hooks (realm_id, channel_id);

-- What arrived at hooks lately, and what was made of it.
create table hook_requests (
  realm_id bigint not null,
  id bigint generated always as identity,
  hook_id bigint not null,
  received_at timestamptz not null default now(),
  event text,
  headers jsonb not null,
  body bytea not null, -- at most 256 KiB of it
  body_size integer not null,
  delivery_id text, -- the sender's own id, by which repeated requests are recognized
  outcome text not null,
  message_id bigint, -- which may have been deleted since
  error text,
  primary key (realm_id, hook_id, id),
  foreign key (realm_id, hook_id) references hooks (realm_id, id) on delete cascade
);
create index hook_requests_by_time on hook_requests (received_at);
create index hook_requests_by_delivery on hook_requests (realm_id, hook_id, delivery_id) where delivery_id is not null;
