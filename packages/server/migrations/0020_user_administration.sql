-- What people set for themselves and what administrators decide about accounts.

-- Only what differs from the declared defaults; new accounts begin with it.
alter table realms add column user_settings_defaults jsonb not null default '{}';

-- Where accounts' addresses may come from, if the realm restricts that.
create table realm_domains (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  domain text not null, -- folded
  allow_subdomains boolean not null,
  primary key (realm_id, domain)
);

create table muted_users (
  realm_id bigint not null,
  user_id bigint not null references users,
  muted_user_id bigint not null references users,
  date_muted timestamptz not null default now(),
  primary key (realm_id, user_id, muted_user_id)
);
create index on muted_users (realm_id, muted_user_id);

create table alert_words (
  realm_id bigint not null,
  user_id bigint not null references users,
  id bigint generated always as identity,
  word text not null,
  word_key text not null,
  primary key (realm_id, user_id, word_key)
);

-- Only what somebody has set: a row with nothing in it does not exist.
create table user_statuses (
  realm_id bigint not null,
  user_id bigint not null references users,
  status_text text not null default '',
  emoji_name text not null default '',
  emoji_code text not null default '',
  reaction_type text not null default '',
  primary key (realm_id, user_id)
);

create table push_tokens (
  realm_id bigint not null,
  user_id bigint not null references users,
  kind text not null check (kind in ('apns', 'fcm')),
  token text not null,
  app_id text,
  created_at timestamptz not null default now()
);
-- Tokens can be longer than an index entry.
create unique index on push_tokens (realm_id, user_id, kind, md5(token));

-- A new address counts only once its owner has confirmed it.
create table email_changes (
  realm_id bigint not null,
  user_id bigint not null references users,
  new_email text not null,
  requested_at timestamptz not null default now(),
  primary key (realm_id, user_id)
);

-- Counts the changes of the realm's alert words, so that processes know when to read them again.
alter table realms add column alert_words_version bigint not null default 0;
