-- Previews of linked pages. They are fetched after the send, for organizations that want them.
create table link_previews (
  realm_id bigint not null references realms,
  url_hash bytea not null,
  url text not null,
  title text,
  description text,
  image_url text,
  -- In the URL under which this server shows the image.
  image_token text,
  image_path text,
  expires_at timestamptz not null,
  primary key (realm_id, url_hash)
);
create unique index link_previews_by_image on link_previews (image_token);

-- The last message of an organization that was searched for links. Those without previews have none.
create table preview_cursors (
  realm_id bigint primary key references realms,
  last_message bigint not null
);
create table pending_previews (
  realm_id bigint not null references realms,
  message_id bigint not null,
  due_at timestamptz not null default now(),
  attempts integer not null default 0,
  primary key (realm_id, message_id)
);
create index pending_previews_due on pending_previews (due_at);

-- What the sender or a moderator removed.
create table hidden_previews (
  realm_id bigint not null references realms,
  message_id bigint not null,
  url_hash bytea not null,
  primary key (realm_id, message_id, url_hash)
);

create function follow_links() returns trigger language plpgsql as $$
begin
  if coalesce((new.settings ->> 'inline_url_embed_preview')::boolean, false) then
    insert into preview_cursors (realm_id, last_message)
    select realm_id, last_message from realm_counters where realm_id = new.id
    on conflict do nothing;
  else
    delete from preview_cursors where realm_id = new.id;
  end if;
  return null;
end $$;
create trigger follow_links after update of settings on realms
  for each row when (old.settings -> 'inline_url_embed_preview' is distinct from new.settings -> 'inline_url_embed_preview')
  execute function follow_links();
insert into preview_cursors (realm_id, last_message)
select c.realm_id, c.last_message from realm_counters c join realms r on r.id = c.realm_id
 where (r.settings ->> 'inline_url_embed_preview')::boolean;
