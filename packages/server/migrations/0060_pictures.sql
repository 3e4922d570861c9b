-- What is known of an uploaded picture, and whether a file was ever in a message.

alter table attachments
  add column width integer, -- both null: no picture, or none that can be shown
  add column height integer,
  add column thumbnails text[], -- the formats that are made; null: none yet
  add column is_claimed boolean not null default false; -- since a message first linked to it

update attachments a set is_claimed = true
 where exists (select 1 from attachment_messages l where l.realm_id = a.realm_id and l.attachment_id = a.id);

-- For the job that removes what nobody has used.
create index attachments_unclaimed on attachments (create_time) where not is_claimed;
