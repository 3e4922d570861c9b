-- Uploads that arrive in several requests (the tus protocol), on any process. The received bytes are in the file store.
create table resumable_uploads (
  realm_id bigint not null references realms,
  id text not null, -- random: part of the upload's URL
  owner_id bigint not null references users,
  name text not null, -- as the uploader named the file
  content_type text not null, -- as the uploader declared it
  size bigint not null,
  received bigint not null default 0 check (received <= size),
  parts text[] not null default '{}', -- paths in the file store, in order
  path_id text, -- of the finished file; null until then
  expires_at timestamptz not null,
  primary key (realm_id, id)
);
create index on resumable_uploads (realm_id, owner_id);
create index on resumable_uploads (expires_at);
