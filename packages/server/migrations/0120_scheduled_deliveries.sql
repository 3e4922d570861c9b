-- Scheduled messages that were sent lately: deleting one of them succeeds, because nothing is left to delete.
create table delivered_scheduled_messages (
  id bigint primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  delivered_at timestamptz not null default now()
);
