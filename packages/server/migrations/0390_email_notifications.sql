-- Up to which message the recipients of emails have been looked up; a row for each realm since the server sends email.
create table email_cursors (
  realm_id bigint primary key references realms on delete cascade,
  last_message bigint not null
);

-- Messages about which a user may get an email. Whether they do is decided when it is sent.
create table email_notifications (
  realm_id bigint not null,
  user_id bigint not null,
  message_id bigint not null,
  due_at timestamptz not null, -- in the future while a process sends it, so that others take over if that process dies
  expires_at timestamptz not null,
  attempts integer not null default 0, -- above 0: a process took it
  primary key (realm_id, user_id, message_id),
  foreign key (realm_id, user_id) references users (realm_id, id) on delete cascade,
  foreign key (realm_id, message_id) references messages (realm_id, id) on delete cascade
);
create index email_notifications_by_message on email_notifications (realm_id, message_id);
create index email_notifications_by_time on email_notifications (due_at);

-- Who wants an email about every message of a channel: found without reading all subscribers.
create index subscriptions_with_email on subscriptions (realm_id, channel_id) where is_active and email_notifications;
create index users_with_channel_emails on users (realm_id, id)
  where settings @> '{"enable_stream_email_notifications": true}';
