-- Messages that were deleted and can still be restored, with everything that belonged to them. A migration that adds a
-- column to `messages` gives it a default and leaves these rows alone: see restore.ts.
create table deleted_messages (
  realm_id bigint not null references realms,
  id bigint not null,
  number bigint generated always as identity, -- counts deletions: for pages, newest first
  recipient_id bigint not null,
  channel_id bigint, -- where it was when it was deleted; null for a direct message
  topic_id bigint,
  topic text,
  sender_id bigint not null,
  date_sent timestamptz not null,
  deleted_by bigint not null,
  deleted_at timestamptz not null default now(),
  message jsonb not null, -- the row
  parts jsonb not null, -- its reactions, flags, submessages, files, and its part of the topic's history
  primary key (realm_id, id),
  foreign key (realm_id, sender_id) references users (realm_id, id),
  foreign key (realm_id, deleted_by) references users (realm_id, id)
);
create index deleted_messages_by_number on deleted_messages (realm_id, number);
create index deleted_messages_by_time on deleted_messages (deleted_at);
