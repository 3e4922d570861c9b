-- The topic's name as its user wrote it, which events and state repeat; null: as the topic is called.
alter table user_topics add column spelling text;

-- The built-in extra emoji has one name, which is also its code.
update reactions set emoji_name = 'service', emoji_code = 'service' where reaction_type = 'service_extra_emoji';
update user_statuses set emoji_name = 'service', emoji_code = 'service' where reaction_type = 'service_extra_emoji';
