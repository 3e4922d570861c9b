-- Messages that do not notify as usual: silently, or although the recipients' notifications are paused.
create table message_notices (
  realm_id bigint not null references realms (id),
  message_id bigint not null,
  mode text not null check (mode in ('silent', 'anyway')),
  primary key (realm_id, message_id),
  foreign key (realm_id, message_id) references messages (realm_id, id) on delete cascade
);

-- When someone last insisted on notifying someone else.
create table notified_anyway (
  realm_id bigint not null references realms (id),
  user_id bigint not null, -- the recipient
  sender_id bigint not null,
  at timestamptz not null default now(),
  primary key (realm_id, user_id, sender_id),
  foreign key (realm_id, user_id) references users (realm_id, id),
  foreign key (realm_id, sender_id) references users (realm_id, id)
);
