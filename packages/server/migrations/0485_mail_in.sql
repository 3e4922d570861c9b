-- Emails that were accepted: until a job has handled them, and for 7 days after, so that none is posted twice.
create table incoming_emails (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  user_id bigint, -- a reply of this user
  message_id bigint, -- to this message, which may have been deleted since
  digest bytea not null, -- of the address and the Message-ID
  path text not null, -- the email in the file store, while it waits
  received_at timestamptz not null default now(),
  attempts integer not null default 0, -- at reading it
  outcome text, -- null: waits
  reason text,
  sent_message_id bigint, -- which may have been deleted since
  refusal_sent boolean not null default false, -- its author got an email about that
  primary key (realm_id, id),
  unique (realm_id, digest),
  foreign key (realm_id, user_id) references users (realm_id, id)
);
create index incoming_emails_by_user on incoming_emails (realm_id, user_id, received_at) where user_id is not null;
create index incoming_emails_by_time on incoming_emails (received_at);
create index incoming_emails_by_path on incoming_emails (realm_id, path) where outcome is null;
