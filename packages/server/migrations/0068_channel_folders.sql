-- Folders that an organization sorts its channels into.

create table channel_folders (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  name_key text not null,
  description text not null default '',
  rendered_description text not null default '',
  place integer not null, -- in the order that clients show them
  creator_id bigint references users,
  date_created timestamptz not null default now(),
  is_archived boolean not null default false
);
create unique index on channel_folders (realm_id, name_key) where not is_archived;
create index on channel_folders (realm_id, place);

alter table channels add column folder_id bigint references channel_folders;
create index on channels (folder_id) where folder_id is not null;
