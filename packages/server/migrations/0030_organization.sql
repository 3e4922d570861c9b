-- What an organization sets up for itself: profile fields with everybody's values, linkifiers and code playgrounds.

create table profile_fields (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  hint text not null default '',
  field_type smallint not null check (field_type between 1 and 8),
  field_data text not null default '', -- JSON, or nothing
  place integer not null, -- in the order that clients show them
  display_in_profile_summary boolean not null default false,
  required boolean not null default false,
  editable_by_user boolean not null default true,
  unique (realm_id, name)
);

create table profile_values (
  realm_id bigint not null,
  user_id bigint not null references users,
  field_id bigint not null references profile_fields on delete cascade,
  value text not null,
  rendered_value text, -- null: a field whose values are no markup
  primary key (realm_id, user_id, field_id)
);
create index on profile_values (field_id);

create table linkifiers (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  pattern text not null,
  url_template text not null,
  example_input text, -- a text that the pattern matches, for whoever edits it
  place integer not null, -- earlier ones win
  unique (realm_id, pattern)
);

create table playgrounds (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  pygments_language text not null,
  url_template text not null,
  unique (realm_id, pygments_language, name)
);
