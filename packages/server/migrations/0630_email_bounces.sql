-- Emails that came back, for 30 days.
create table email_bounces (
  id bigint generated always as identity,
  realm_id bigint not null references realms (id),
  user_id bigint not null,
  email text not null, -- the address at that time
  status text not null check (length(status) <= 20), -- such as 5.1.1
  detail text not null check (length(detail) <= 200), -- what the mail server said
  at timestamptz not null default now(),
  primary key (realm_id, id),
  foreign key (realm_id, user_id) references users (realm_id, id)
);
create index email_bounces_by_user on email_bounces (realm_id, user_id, at);

-- Addresses that get no more emails about messages, until their owner tries again or changes the address.
create table dead_emails (
  realm_id bigint not null references realms (id),
  user_id bigint not null,
  email text not null,
  status text not null,
  detail text not null,
  since timestamptz not null default now(),
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references users (realm_id, id)
);
