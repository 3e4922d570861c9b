-- Where an uploaded picture of somebody lies: `<realm>/<random key>`, the beginning of its address and of its files' names.
alter table users add column avatar_path text;
alter table users add constraint users_avatar_uploaded check ((avatar_source = 'U') = (avatar_path is not null));
