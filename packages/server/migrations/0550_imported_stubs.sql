-- People of an import who have not claimed their account yet: they have no password, and nobody signed in to it.
alter table users add column is_imported_stub boolean not null default false;
create index users_imported_stubs on users (realm_id, id) where is_imported_stub;
