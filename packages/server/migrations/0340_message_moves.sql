-- Moves of many messages, which are done in parts so that nobody waits for them. A row exists until its move is complete.
create table message_moves (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  user_id bigint not null,
  message_id bigint not null, -- the message that the request named; it may have been deleted since
  mode text not null check (mode in ('change_one', 'change_later', 'change_all')),
  channel_id bigint not null,
  topic_id bigint not null,
  to_channel_id bigint not null,
  to_topic text not null,
  to_topic_id bigint, -- null: no part has moved yet
  joins boolean not null, -- whether the target topic had messages before
  notifies_old boolean not null,
  notifies_new boolean not null,
  up_to_message bigint not null default 0, -- the parts so far covered the messages up to this one
  moved integer not null default 0,
  total integer not null, -- when the move started
  touched_at timestamptz not null default clock_timestamp(),
  primary key (realm_id, id),
  foreign key (realm_id, user_id) references users (realm_id, id)
);
