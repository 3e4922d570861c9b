-- Accounts that are deactivated until a time. The row ends with the suspension, or when a user ends it.
create table suspensions (
  realm_id bigint not null references realms,
  user_id bigint not null,
  ends_at timestamptz not null,
  suspended_by bigint not null,
  suspended_at timestamptz not null default now(),
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references users (realm_id, id),
  foreign key (realm_id, suspended_by) references users (realm_id, id)
);
create index suspensions_by_end on suspensions (ends_at);
create index suspensions_by_actor on suspensions (realm_id, suspended_by);
