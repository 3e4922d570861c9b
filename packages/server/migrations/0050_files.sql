-- What people put into files: custom emoji, uploads, exports. The files themselves lie in the file store; a row is
-- written only once its file is there.

create table realm_emoji (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  author_id bigint references users,
  file_name text not null,
  still_file_name text, -- the first picture of an animation
  deactivated boolean not null default false,
  created_at timestamptz not null default now()
);
create index on realm_emoji (realm_id, id);
-- A name that is given up can be used again; reactions and texts keep the old one by its id or file.
create unique index realm_emoji_in_use on realm_emoji (realm_id, name) where not deactivated;

create table attachments (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  owner_id bigint not null references users,
  name text not null, -- as the uploader called it
  path_id text not null,
  content_type text not null,
  size bigint not null,
  create_time timestamptz not null default now(),
  unique (realm_id, path_id)
);
create index on attachments (realm_id, owner_id, id);

-- Which messages link to which file: whoever may read one of them may read the file.
create table attachment_messages (
  realm_id bigint not null,
  attachment_id bigint not null references attachments on delete cascade,
  message_id bigint not null,
  primary key (realm_id, attachment_id, message_id),
  foreign key (realm_id, message_id) references messages on delete cascade
);
create index on attachment_messages (realm_id, message_id);

-- Pending until it has succeeded or failed. A finished one is kept for a while and then deleted; its row stays.
create table realm_exports (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  acting_user_id bigint not null references users,
  export_type smallint not null check (export_type in (1, 2)), -- public, standard
  base_url text not null, -- where its requester reaches the realm
  requested_at timestamptz not null default now(),
  attempts integer not null default 0,
  path text, -- in the file store; null until it has succeeded
  succeeded_at timestamptz,
  failed_at timestamptz,
  deleted_at timestamptz
);
create index on realm_exports (realm_id, id);
create index realm_exports_pending on realm_exports (id) where succeeded_at is null and failed_at is null;
