-- Emails to the addresses of channels. The user of such a row is the one in whose name it is posted.
alter table incoming_emails
  add column channel_id bigint,
  add column creator_id bigint, -- who got the address
  add column options text[] not null default '{}', -- what stands behind the address
  add foreign key (realm_id, channel_id) references channels (realm_id, id),
  add foreign key (realm_id, creator_id) references users (realm_id, id);
create index incoming_emails_by_channel on incoming_emails (realm_id, channel_id, received_at) where channel_id is not null;
create index incoming_emails_by_creator on incoming_emails (realm_id, creator_id) where creator_id is not null;
