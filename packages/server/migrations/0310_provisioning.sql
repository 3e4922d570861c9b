-- Identity providers create, change and deactivate accounts and groups with SCIM. Each token belongs to one realm.
create table scim_tokens (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  name text not null,
  secret_hash bytea not null unique,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (realm_id, id)
);

-- What a provider says about an account and we do not have a place for elsewhere.
create table provisioned_users (
  realm_id bigint not null references realms,
  user_id bigint not null,
  user_name text not null,
  user_name_key text not null, -- without case
  external_id text,
  given_name text,
  family_name text,
  is_deleted boolean not null default false, -- at the provider; here the account is deactivated
  primary key (realm_id, user_id),
  foreign key (realm_id, user_id) references users (realm_id, id),
  unique (realm_id, user_name_key)
);
create index on provisioned_users (realm_id, external_id);

create table provisioned_groups (
  realm_id bigint not null references realms,
  group_id bigint not null,
  external_id text not null,
  primary key (realm_id, group_id),
  foreign key (realm_id, group_id) references user_groups (realm_id, id)
);
create index on provisioned_groups (realm_id, external_id);

alter table audit_log
  drop constraint audit_log_via_check,
  add constraint audit_log_via_check
    check (via in ('session', 'token', 'key', 'request', 'command', 'server', 'scim')) not valid;
