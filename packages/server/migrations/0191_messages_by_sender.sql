-- The conversations that a user took part in are read from the index alone.
drop index messages_by_sender;
create index messages_by_sender on messages (realm_id, sender_id, id) include (topic_id);
