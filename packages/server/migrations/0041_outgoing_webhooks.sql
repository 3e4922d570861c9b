-- What outgoing webhooks have to deliver and have delivered. A row is written with the message that causes it; whoever
-- takes it sets `due_at` to the moment after which somebody else may take it over.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  bot_id bigint not null references users,
  message_id bigint not null,
  trigger text not null check (trigger in ('mention', 'direct_message')),
  status text not null default 'waiting' check (status in ('waiting', 'sending', 'delivered', 'failed', 'cancelled')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  finished_at timestamptz,
  duration_ms integer, -- of the last attempt
  response_status integer,
  error text
);
create index on webhook_deliveries (realm_id, bot_id, id);
create index webhook_deliveries_open on webhook_deliveries (due_at) where status in ('waiting', 'sending');

-- Mail that the demo server would have sent.
create table caught_mail (
  id bigint generated always as identity primary key,
  caught_at timestamptz not null default now(),
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null
);
