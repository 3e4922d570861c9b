-- Outgoing webhooks are called for any event: what for, and how far each has read the event log.
alter table bot_services
  add column triggers text[] not null default '{direct_message,mention}',
  add column channel_ids bigint[],
  add column filter jsonb not null default '[]',
  add column in_order boolean not null default false,
  add column paused_at timestamptz;

create table webhook_cursors (
  realm_id bigint not null references realms,
  bot_id bigint not null,
  last_event bigint not null,
  failing_since timestamptz,
  primary key (realm_id, bot_id),
  foreign key (realm_id, bot_id) references users (realm_id, id)
);

-- Of an event from the log. Messages are read when they are delivered, other events are stored.
alter table webhook_deliveries
  alter column message_id drop not null,
  drop constraint webhook_deliveries_trigger_check,
  add column event_seq bigint,
  add column channel_id bigint,
  add column event text;
create index webhook_deliveries_open_by_bot on webhook_deliveries (realm_id, bot_id, id) where status in ('waiting', 'sending');
create index webhook_deliveries_personal on webhook_deliveries (realm_id, bot_id, message_id) where event_seq is null;
