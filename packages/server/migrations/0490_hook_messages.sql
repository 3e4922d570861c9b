-- Messages of incoming hooks that later requests edit: by the key of what they are about, or to count up.
create table hook_messages (
  realm_id bigint not null,
  hook_id bigint not null,
  key_hash bytea not null,
  kind text not null check (kind in ('update', 'count', 'storm')),
  message_id bigint, -- which may have been deleted since; null only while it is being sent
  content text not null, -- without the count
  count integer not null,
  shown integer not null, -- the count in the message, which is edited only every few seconds
  is_open boolean not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  edited_at timestamptz not null default now(),
  primary key (realm_id, hook_id, key_hash),
  foreign key (realm_id, hook_id) references hooks (realm_id, id) on delete cascade
);
create index hook_messages_by_time on hook_messages (last_at);

-- How many messages a hook wanted to send in the present minute, and whether it wanted too many in the one before.
alter table hooks
  add column minute_at timestamptz not null default now(),
  add column minute_count integer not null default 0,
  add column is_storm boolean not null default false;
