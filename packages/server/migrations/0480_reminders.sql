-- Reminders of messages. The text is a copy from when the reminder was made: the message may be deleted until it is due.
create table reminders (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  user_id bigint not null,
  message_id bigint not null, -- which may have been deleted since
  note text not null,
  content text not null,
  rendered_content text not null,
  delivery_time timestamptz not null,
  failed boolean not null default false,
  primary key (realm_id, id),
  foreign key (realm_id, user_id) references users (realm_id, id)
);
create index reminders_by_user on reminders (realm_id, user_id, delivery_time);
