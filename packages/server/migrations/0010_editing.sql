-- Editing and moving. Every edit of a message is an entry in the form the API shows, with a `number` that tells which
-- of two came first. A message keeps its own entries; what a rename adds to all messages of a topic is stored once.
create sequence edit_numbers;

-- Holds for the messages that were in the topic then: those up to `up_to_message` that did not come into it later
-- (messages.topic_since).
create table topic_history (
  realm_id bigint not null,
  topic_id bigint not null references topics on delete cascade,
  number bigint not null,
  up_to_message bigint not null,
  entry jsonb not null,
  primary key (realm_id, topic_id, number)
);

alter table messages
  add column topic_since bigint not null default 0, -- the number of the edit that brought it into its topic
  drop column last_edit_time, -- both follow from the entries
  drop column last_move_time;

-- Notices that a topic was resolved or reopened: one that is undone at once goes away again.
create table resolve_notices (
  realm_id bigint not null,
  message_id bigint not null,
  primary key (realm_id, message_id),
  foreign key (realm_id, message_id) references messages on delete cascade
);
