-- Messages and links at the top of a channel. A message may have been deleted, or moved to another channel.
create table channel_pins (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  channel_id bigint not null,
  message_id bigint,
  url text,
  title text not null,
  user_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (realm_id, id),
  foreign key (realm_id, channel_id) references channels (realm_id, id),
  foreign key (realm_id, user_id) references users (realm_id, id),
  check ((message_id is null) <> (url is null))
);
create index channel_pins_by_channel on channel_pins (realm_id, channel_id, id);
