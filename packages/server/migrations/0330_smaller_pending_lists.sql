-- New messages are collected in a list beside each text index. The insert that fills the list merges it into the index while it
-- holds the lock of its realm, so that all sends wait. A short list is merged more often, each time for a few milliseconds.
alter index messages_by_word set (gin_pending_list_limit = 256); -- kB
alter index messages_by_part set (gin_pending_list_limit = 256);
alter index messages_by_gram set (gin_pending_list_limit = 256);
