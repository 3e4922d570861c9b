-- Zulip's web client fails if a status has a custom emoji that does not exist.
update user_statuses s
   set emoji_name = '', emoji_code = '', reaction_type = 'unicode_emoji'
 where s.reaction_type = 'realm_emoji'
   and not exists (select from realm_emoji e where e.realm_id = s.realm_id and e.id::text = s.emoji_code);

delete from user_statuses where status_text = '' and emoji_name = '';
