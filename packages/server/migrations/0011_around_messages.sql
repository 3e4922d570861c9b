-- What people keep around messages: snippets, drafts, messages for later, what widgets gather.

-- To find who holds a message, and to delete one without going through everybody's flags.
create index message_flags_by_message on message_flags (realm_id, message_id);
create index subscription_periods_by_channel on subscription_periods (realm_id, channel_id);
create index user_topics_by_topic on user_topics (realm_id, topic_id);

create table saved_snippets (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  title text not null,
  content text not null,
  date_created timestamptz not null default now()
);
create index on saved_snippets (realm_id, user_id, id);

create table drafts (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  type text not null check (type in ('', 'private', 'stream')),
  recipients bigint[] not null, -- a channel, or people
  topic text not null,
  content text not null,
  last_edited timestamptz not null
);
create index on drafts (realm_id, user_id, last_edited);

create table scheduled_messages (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  type text not null check (type in ('private', 'stream')),
  recipients bigint[] not null, -- a channel, or people
  topic text, -- null: to people
  content text not null,
  rendered_content text not null,
  delivery_time timestamptz not null,
  read_by_sender boolean not null,
  client text not null,
  failed boolean not null default false
);
create index on scheduled_messages (realm_id, user_id, delivery_time);
create index scheduled_messages_due on scheduled_messages (delivery_time) where not failed;

create table submessages (
  id bigint generated always as identity primary key,
  realm_id bigint not null,
  message_id bigint not null,
  sender_id bigint not null references users,
  msg_type text not null,
  content text not null,
  foreign key (realm_id, message_id) references messages on delete cascade
);
create index on submessages (realm_id, message_id, id);
