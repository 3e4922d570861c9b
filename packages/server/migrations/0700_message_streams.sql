-- Messages whose author sends the text in parts. The row ends with the last part, or after a minute without one.
create table message_streams (
  realm_id bigint not null references realms (id),
  message_id bigint not null,
  updated_at timestamptz not null default now(),
  primary key (realm_id, message_id),
  foreign key (realm_id, message_id) references messages (realm_id, id) on delete cascade
);

-- That someone asked an agent to stop, until the agent reads it.
alter table credentials add column agent_stop jsonb;
