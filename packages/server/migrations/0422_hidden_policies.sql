-- Policies of users who cannot read the channel at present. They come back with the access.
alter table user_topics add column is_hidden boolean not null default false;
