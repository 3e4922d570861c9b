-- The server's own bots are looked for by the realm, among everybody who is in it.
create index users_system_bots on users (realm_id) where is_system_bot;
