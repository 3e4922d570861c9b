-- Every lookup names its realm, so that the primary key serves it: (realm_id, id). A second unique index on the id alone
-- was written with every row and read by nothing. `queues`, `password_resets` and `idempotent_requests` keep theirs:
-- they are found without a realm. So does `web_push_deliveries`, which version 0.4.0 names in "on conflict".
drop index concurrently if exists attachments_id_key;
drop index concurrently if exists audit_log_id_key;
drop index concurrently if exists channel_folders_id_key;
drop index concurrently if exists channels_id_key;
drop index concurrently if exists credentials_id_key;
drop index concurrently if exists default_channel_groups_id_key;
drop index concurrently if exists delivered_scheduled_messages_id_key;
drop index concurrently if exists direct_conversations_id_key;
drop index concurrently if exists drafts_id_key;
drop index concurrently if exists invitations_id_key;
drop index concurrently if exists linkifiers_id_key;
drop index concurrently if exists passkeys_id_key;
drop index concurrently if exists playgrounds_id_key;
drop index concurrently if exists profile_fields_id_key;
drop index concurrently if exists realm_emoji_id_key;
drop index concurrently if exists realm_exports_id_key;
drop index concurrently if exists saved_snippets_id_key;
drop index concurrently if exists scheduled_messages_id_key;
drop index concurrently if exists submessages_id_key;
drop index concurrently if exists topics_id_key;
drop index concurrently if exists user_groups_id_key;
drop index concurrently if exists users_id_key;
drop index concurrently if exists web_push_subscriptions_id_key;
drop index concurrently if exists webhook_deliveries_id_key;
