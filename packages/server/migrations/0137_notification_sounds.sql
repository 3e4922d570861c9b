-- Sounds that no client has.
update users set settings = settings || '{"notification_sound": "zulip"}'
 where settings ->> 'notification_sound' in ('bell', 'drop', 'pluck');
