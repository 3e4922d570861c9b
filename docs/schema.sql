-- Generated from packages/server/migrations, which explain the reasons. Do not edit: npm run tables

CREATE EXTENSION pg_trgm;

CREATE SCHEMA jobs;

CREATE SEQUENCE edit_numbers;

CREATE SEQUENCE recipient_ids;

CREATE TABLE acme_accounts (
  directory text NOT NULL,
  key_sealed bytea NOT NULL,
  CONSTRAINT acme_accounts_pkey PRIMARY KEY (directory)
);

CREATE TABLE alert_words (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  word text NOT NULL,
  word_key text NOT NULL,
  CONSTRAINT alert_words_pkey PRIMARY KEY (realm_id, user_id, word_key),
  CONSTRAINT alert_words_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE attachment_messages (
  realm_id bigint NOT NULL,
  attachment_id bigint NOT NULL,
  message_id bigint NOT NULL,
  CONSTRAINT attachment_messages_pkey PRIMARY KEY (realm_id, attachment_id, message_id),
  CONSTRAINT attachment_messages_realm_id_attachment_id_fkey FOREIGN KEY (realm_id, attachment_id) REFERENCES attachments(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT attachment_messages_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE
);
CREATE INDEX attachment_messages_realm_id_message_id_idx ON public.attachment_messages USING btree (realm_id, message_id);

CREATE TABLE attachments (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  owner_id bigint NOT NULL,
  name text NOT NULL,
  path_id text NOT NULL,
  content_type text NOT NULL,
  size bigint NOT NULL,
  width integer,
  height integer,
  thumbnails text[],
  is_claimed boolean NOT NULL DEFAULT false,
  create_time timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT attachments_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT attachments_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT attachments_realm_id_owner_id_fkey FOREIGN KEY (realm_id, owner_id) REFERENCES users(realm_id, id),
  CONSTRAINT attachments_realm_id_path_id_key UNIQUE (realm_id, path_id)
);
CREATE INDEX attachments_realm_id_owner_id_id_idx ON public.attachments USING btree (realm_id, owner_id, id);
CREATE INDEX attachments_unclaimed ON public.attachments USING btree (create_time) WHERE (NOT is_claimed);

CREATE TABLE audit_chains (
  realm_id bigint NOT NULL,
  number bigint NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT audit_chains_pkey PRIMARY KEY (realm_id),
  CONSTRAINT audit_chains_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE audit_log (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  acting_user_id bigint,
  action text NOT NULL,
  target jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  number bigint NOT NULL DEFAULT 0,
  via text NOT NULL DEFAULT 'server'::text,
  credential_id bigint,
  ip_address text,
  before jsonb,
  after jsonb,
  hash bytea NOT NULL DEFAULT '\x'::bytea,
  actor_owner_id bigint,
  CONSTRAINT audit_log_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT audit_log_via_check CHECK ((via = ANY (ARRAY['session'::text, 'token'::text, 'key'::text, 'request'::text, 'command'::text, 'server'::text, 'scim'::text]))),
  CONSTRAINT audit_log_realm_id_acting_user_id_fkey FOREIGN KEY (realm_id, acting_user_id) REFERENCES users(realm_id, id),
  CONSTRAINT audit_log_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE INDEX audit_log_realm_id_acting_user_id_number_idx ON public.audit_log USING btree (realm_id, acting_user_id, number);
CREATE INDEX audit_log_realm_id_action_number_idx ON public.audit_log USING btree (realm_id, action, number);
CREATE INDEX audit_log_realm_id_id_idx ON public.audit_log USING btree (realm_id, id);
CREATE UNIQUE INDEX audit_log_realm_id_number_idx ON public.audit_log USING btree (realm_id, number);
CREATE INDEX audit_log_sign_ins ON public.audit_log USING btree (realm_id, ((target ->> 'user_id'::text)), number) WHERE (action = ANY (ARRAY['signed_in'::text, 'sign_in_failed'::text]));
CREATE TRIGGER chain_audit_row BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_row();

CREATE TABLE bot_services (
  realm_id bigint NOT NULL,
  bot_id bigint NOT NULL,
  base_url text NOT NULL,
  interface smallint NOT NULL,
  token_sealed bytea NOT NULL,
  secret_sealed bytea NOT NULL,
  triggers text[] NOT NULL DEFAULT '{direct_message,mention}'::text[],
  channel_ids bigint[],
  filter jsonb NOT NULL DEFAULT '[]'::jsonb,
  in_order boolean NOT NULL DEFAULT false,
  paused_at timestamp with time zone,
  commands jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT bot_services_pkey PRIMARY KEY (realm_id, bot_id),
  CONSTRAINT bot_services_interface_check CHECK ((interface = ANY (ARRAY[1, 2]))),
  CONSTRAINT bot_services_realm_id_bot_id_fkey FOREIGN KEY (realm_id, bot_id) REFERENCES users(realm_id, id)
);

CREATE TABLE bot_storage (
  realm_id bigint NOT NULL,
  bot_id bigint NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  CONSTRAINT bot_storage_realm_id_bot_id_fkey FOREIGN KEY (realm_id, bot_id) REFERENCES users(realm_id, id)
);
CREATE UNIQUE INDEX bot_storage_realm_id_bot_id_md5_idx ON public.bot_storage USING btree (realm_id, bot_id, md5(key));

CREATE TABLE bots (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  default_sending_channel_id bigint,
  default_events_channel_id bigint,
  default_all_public_streams boolean NOT NULL DEFAULT false,
  config_data jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT bots_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT bots_realm_id_default_events_channel_id_fkey FOREIGN KEY (realm_id, default_events_channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT bots_realm_id_default_sending_channel_id_fkey FOREIGN KEY (realm_id, default_sending_channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT bots_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE caught_mail (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  caught_at timestamp with time zone NOT NULL DEFAULT now(),
  recipient text NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  html text NOT NULL,
  CONSTRAINT caught_mail_pkey PRIMARY KEY (id)
);

CREATE TABLE channel_folders (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  rendered_description text NOT NULL DEFAULT ''::text,
  place integer NOT NULL,
  creator_id bigint,
  date_created timestamp with time zone NOT NULL DEFAULT now(),
  is_archived boolean NOT NULL DEFAULT false,
  CONSTRAINT channel_folders_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT channel_folders_realm_id_creator_id_fkey FOREIGN KEY (realm_id, creator_id) REFERENCES users(realm_id, id),
  CONSTRAINT channel_folders_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE UNIQUE INDEX channel_folders_realm_id_name_key_idx ON public.channel_folders USING btree (realm_id, name_key) WHERE (NOT is_archived);
CREATE INDEX channel_folders_realm_id_place_idx ON public.channel_folders USING btree (realm_id, place);

CREATE TABLE channel_pins (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  channel_id bigint NOT NULL,
  message_id bigint,
  url text,
  title text NOT NULL,
  user_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT channel_pins_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT channel_pins_check CHECK (((message_id IS NULL) <> (url IS NULL))),
  CONSTRAINT channel_pins_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT channel_pins_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT channel_pins_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX channel_pins_by_channel ON public.channel_pins USING btree (realm_id, channel_id, id);

CREATE TABLE channels (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  recipient_id bigint NOT NULL DEFAULT nextval('recipient_ids'::regclass),
  folder_id bigint,
  name text NOT NULL,
  name_key text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  rendered_description text NOT NULL DEFAULT ''::text,
  date_created timestamp with time zone NOT NULL DEFAULT now(),
  creator_id bigint,
  invite_only boolean NOT NULL DEFAULT false,
  is_web_public boolean NOT NULL DEFAULT false,
  history_public_to_subscribers boolean NOT NULL DEFAULT true,
  is_archived boolean NOT NULL DEFAULT false,
  message_retention_days integer,
  weekly_traffic integer,
  can_add_subscribers_group bigint NOT NULL,
  can_administer_channel_group bigint NOT NULL,
  can_remove_subscribers_group bigint NOT NULL,
  can_send_message_group bigint NOT NULL,
  can_subscribe_group bigint NOT NULL,
  CONSTRAINT channels_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT channels_check CHECK ((NOT (invite_only AND is_web_public))),
  CONSTRAINT channels_check1 CHECK ((invite_only OR history_public_to_subscribers)),
  CONSTRAINT channels_realm_id_can_add_subscribers_group_fkey FOREIGN KEY (realm_id, can_add_subscribers_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT channels_realm_id_can_administer_channel_group_fkey FOREIGN KEY (realm_id, can_administer_channel_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT channels_realm_id_can_remove_subscribers_group_fkey FOREIGN KEY (realm_id, can_remove_subscribers_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT channels_realm_id_can_send_message_group_fkey FOREIGN KEY (realm_id, can_send_message_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT channels_realm_id_can_subscribe_group_fkey FOREIGN KEY (realm_id, can_subscribe_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT channels_realm_id_creator_id_fkey FOREIGN KEY (realm_id, creator_id) REFERENCES users(realm_id, id),
  CONSTRAINT channels_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT channels_realm_id_folder_id_fkey FOREIGN KEY (realm_id, folder_id) REFERENCES channel_folders(realm_id, id),
  CONSTRAINT channels_realm_id_name_key_key UNIQUE (realm_id, name_key),
  CONSTRAINT channels_recipient_id_key UNIQUE (recipient_id)
);
CREATE INDEX channels_folder_id_idx ON public.channels USING btree (folder_id) WHERE (folder_id IS NOT NULL);

CREATE TABLE credentials (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  kind text NOT NULL,
  secret_hash bytea NOT NULL,
  name text NOT NULL,
  scopes text[],
  user_agent text NOT NULL,
  ip_address text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  used_at timestamp with time zone NOT NULL DEFAULT now(),
  idle_seconds integer,
  expires_at timestamp with time zone,
  sign_on jsonb,
  agent jsonb,
  agent_hour timestamp with time zone,
  agent_sends integer NOT NULL DEFAULT 0,
  agent_stop jsonb,
  CONSTRAINT credentials_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT credentials_kind_check CHECK ((kind = ANY (ARRAY['session'::text, 'token'::text]))),
  CONSTRAINT credentials_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT credentials_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT credentials_secret_hash_key UNIQUE (secret_hash)
);
CREATE INDEX credentials_realm_id_user_id_idx ON public.credentials USING btree (realm_id, user_id);
CREATE INDEX credentials_sign_on_idx ON public.credentials USING btree (realm_id, ((sign_on ->> 'name_id'::text))) WHERE (sign_on IS NOT NULL);

CREATE TABLE dead_emails (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  email text NOT NULL,
  status text NOT NULL,
  detail text NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT dead_emails_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT dead_emails_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT dead_emails_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE default_channel_group_channels (
  realm_id bigint NOT NULL,
  group_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  CONSTRAINT default_channel_group_channels_pkey PRIMARY KEY (realm_id, group_id, channel_id),
  CONSTRAINT default_channel_group_channels_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT default_channel_group_channels_realm_id_group_id_fkey FOREIGN KEY (realm_id, group_id) REFERENCES default_channel_groups(realm_id, id) ON DELETE CASCADE
);
CREATE INDEX default_channel_group_channels_by_channel ON public.default_channel_group_channels USING btree (realm_id, channel_id);

CREATE TABLE default_channel_groups (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  CONSTRAINT default_channel_groups_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT default_channel_groups_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT default_channel_groups_realm_id_name_key UNIQUE (realm_id, name)
);

CREATE TABLE default_channels (
  realm_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  CONSTRAINT default_channels_pkey PRIMARY KEY (realm_id, channel_id),
  CONSTRAINT default_channels_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id)
);

CREATE TABLE deleted_messages (
  realm_id bigint NOT NULL,
  id bigint NOT NULL,
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  recipient_id bigint NOT NULL,
  channel_id bigint,
  topic_id bigint,
  topic text,
  sender_id bigint NOT NULL,
  date_sent timestamp with time zone NOT NULL,
  deleted_by bigint NOT NULL,
  deleted_at timestamp with time zone NOT NULL DEFAULT now(),
  message jsonb NOT NULL,
  parts jsonb NOT NULL,
  CONSTRAINT deleted_messages_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT deleted_messages_realm_id_deleted_by_fkey FOREIGN KEY (realm_id, deleted_by) REFERENCES users(realm_id, id),
  CONSTRAINT deleted_messages_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT deleted_messages_realm_id_sender_id_fkey FOREIGN KEY (realm_id, sender_id) REFERENCES users(realm_id, id)
);
CREATE INDEX deleted_messages_by_number ON public.deleted_messages USING btree (realm_id, number);
CREATE INDEX deleted_messages_by_time ON public.deleted_messages USING btree (deleted_at);

CREATE TABLE delivered_scheduled_messages (
  id bigint NOT NULL,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  delivered_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT delivered_scheduled_messages_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT delivered_scheduled_messages_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT delivered_scheduled_messages_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE direct_conversations (
  recipient_id bigint NOT NULL DEFAULT nextval('recipient_ids'::regclass),
  realm_id bigint NOT NULL,
  user_ids bigint[] NOT NULL,
  CONSTRAINT direct_conversations_pkey PRIMARY KEY (realm_id, recipient_id),
  CONSTRAINT direct_conversations_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT direct_conversations_realm_id_user_ids_key UNIQUE (realm_id, user_ids)
);

CREATE TABLE direct_participants (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  recipient_id bigint NOT NULL,
  read_floor bigint NOT NULL DEFAULT 0,
  CONSTRAINT direct_participants_pkey PRIMARY KEY (realm_id, user_id, recipient_id),
  CONSTRAINT direct_participants_realm_id_recipient_id_fkey FOREIGN KEY (realm_id, recipient_id) REFERENCES direct_conversations(realm_id, recipient_id),
  CONSTRAINT direct_participants_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE drafts (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  type text NOT NULL,
  recipients bigint[] NOT NULL,
  topic text NOT NULL,
  content text NOT NULL,
  last_edited timestamp with time zone NOT NULL,
  CONSTRAINT drafts_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT drafts_type_check CHECK ((type = ANY (ARRAY[''::text, 'private'::text, 'stream'::text]))),
  CONSTRAINT drafts_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT drafts_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX drafts_realm_id_user_id_last_edited_idx ON public.drafts USING btree (realm_id, user_id, last_edited);

CREATE TABLE email_bounces (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  email text NOT NULL,
  status text NOT NULL,
  detail text NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT email_bounces_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT email_bounces_detail_check CHECK ((length(detail) <= 200)),
  CONSTRAINT email_bounces_status_check CHECK ((length(status) <= 20)),
  CONSTRAINT email_bounces_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT email_bounces_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX email_bounces_by_user ON public.email_bounces USING btree (realm_id, user_id, at);

CREATE TABLE email_changes (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  new_email text NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT email_changes_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT email_changes_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT email_changes_id_key UNIQUE (id)
);

CREATE TABLE email_cursors (
  realm_id bigint NOT NULL,
  last_message bigint NOT NULL,
  CONSTRAINT email_cursors_pkey PRIMARY KEY (realm_id),
  CONSTRAINT email_cursors_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id) ON DELETE CASCADE
);

CREATE TABLE email_notifications (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  due_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  waits_for text,
  CONSTRAINT email_notifications_pkey PRIMARY KEY (realm_id, user_id, message_id),
  CONSTRAINT email_notifications_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT email_notifications_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id) ON DELETE CASCADE
);
CREATE INDEX email_notifications_by_message ON public.email_notifications USING btree (realm_id, message_id);
CREATE INDEX email_notifications_by_time ON public.email_notifications USING btree (due_at);

CREATE TABLE events (
  realm_id bigint NOT NULL,
  seq bigint NOT NULL,
  type text NOT NULL,
  payload text NOT NULL,
  audience jsonb NOT NULL,
  personal jsonb,
  internal jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT events_pkey PRIMARY KEY (realm_id, seq)
);
CREATE INDEX events_former_roles ON public.events USING btree (realm_id, seq) WHERE (internal ? 'former_roles'::text);
CREATE TRIGGER note_state_event AFTER INSERT ON public.events FOR EACH ROW WHEN (((new.internal ? 'access'::text) OR ((new.type = 'internal'::text) AND (NOT (new.internal ? 'ended_queues'::text))) OR (new.type <> ALL (ARRAY['internal'::text, 'message'::text, 'update_message'::text, 'delete_message'::text, 'update_message_flags'::text, 'reaction'::text, 'submessage'::text, 'typing'::text, 'typing_edit_message'::text, 'presence'::text, 'user_status'::text, 'user_topic'::text, 'muted_topics'::text, 'drafts'::text, 'scheduled_messages'::text, 'saved_snippets'::text, 'alert_words'::text, 'attachment'::text])))) EXECUTE FUNCTION note_state_event();

CREATE TABLE external_identities (
  realm_id bigint NOT NULL,
  provider text NOT NULL,
  subject text NOT NULL,
  user_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  deactivated_at timestamp with time zone,
  CONSTRAINT external_identities_pkey PRIMARY KEY (realm_id, provider, subject),
  CONSTRAINT external_identities_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT external_identities_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT external_identities_realm_id_provider_user_id_key UNIQUE (realm_id, provider, user_id)
);
CREATE INDEX external_identities_user_id_idx ON public.external_identities USING btree (user_id);

CREATE TABLE group_members (
  realm_id bigint NOT NULL,
  group_id bigint NOT NULL,
  user_id bigint NOT NULL,
  CONSTRAINT group_members_pkey PRIMARY KEY (realm_id, group_id, user_id),
  CONSTRAINT group_members_realm_id_group_id_fkey FOREIGN KEY (realm_id, group_id) REFERENCES user_groups(realm_id, id),
  CONSTRAINT group_members_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX group_members_realm_id_user_id_idx ON public.group_members USING btree (realm_id, user_id);

CREATE TABLE group_subgroups (
  realm_id bigint NOT NULL,
  group_id bigint NOT NULL,
  subgroup_id bigint NOT NULL,
  CONSTRAINT group_subgroups_pkey PRIMARY KEY (realm_id, group_id, subgroup_id),
  CONSTRAINT group_subgroups_realm_id_group_id_fkey FOREIGN KEY (realm_id, group_id) REFERENCES user_groups(realm_id, id),
  CONSTRAINT group_subgroups_realm_id_subgroup_id_fkey FOREIGN KEY (realm_id, subgroup_id) REFERENCES user_groups(realm_id, id)
);
CREATE INDEX group_subgroups_realm_id_subgroup_id_idx ON public.group_subgroups USING btree (realm_id, subgroup_id);

CREATE TABLE hidden_previews (
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  url_hash bytea NOT NULL,
  CONSTRAINT hidden_previews_pkey PRIMARY KEY (realm_id, message_id, url_hash),
  CONSTRAINT hidden_previews_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE hook_messages (
  realm_id bigint NOT NULL,
  hook_id bigint NOT NULL,
  key_hash bytea NOT NULL,
  kind text NOT NULL,
  message_id bigint,
  content text NOT NULL,
  count integer NOT NULL,
  shown integer NOT NULL,
  is_open boolean NOT NULL,
  first_at timestamp with time zone NOT NULL DEFAULT now(),
  last_at timestamp with time zone NOT NULL DEFAULT now(),
  edited_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT hook_messages_pkey PRIMARY KEY (realm_id, hook_id, key_hash),
  CONSTRAINT hook_messages_kind_check CHECK ((kind = ANY (ARRAY['update'::text, 'count'::text, 'storm'::text]))),
  CONSTRAINT hook_messages_realm_id_hook_id_fkey FOREIGN KEY (realm_id, hook_id) REFERENCES hooks(realm_id, id) ON DELETE CASCADE
);
CREATE INDEX hook_messages_by_time ON public.hook_messages USING btree (last_at);

CREATE TABLE hook_requests (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  hook_id bigint NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  event text,
  headers jsonb NOT NULL,
  body bytea NOT NULL,
  body_size integer NOT NULL,
  delivery_id text,
  outcome text NOT NULL,
  message_id bigint,
  error text,
  CONSTRAINT hook_requests_pkey PRIMARY KEY (realm_id, hook_id, id),
  CONSTRAINT hook_requests_realm_id_hook_id_fkey FOREIGN KEY (realm_id, hook_id) REFERENCES hooks(realm_id, id) ON DELETE CASCADE
);
CREATE INDEX hook_requests_by_delivery ON public.hook_requests USING btree (realm_id, hook_id, delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE INDEX hook_requests_by_time ON public.hook_requests USING btree (received_at);

CREATE TABLE hooks (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  bot_id bigint NOT NULL,
  integration text NOT NULL,
  name text NOT NULL,
  token_hash bytea,
  token_sealed bytea,
  channel_id bigint,
  topic text,
  options jsonb NOT NULL DEFAULT '{}'::jsonb,
  secret_sealed bytea,
  is_enabled boolean NOT NULL DEFAULT true,
  problem_reported boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_at timestamp with time zone,
  received bigint NOT NULL DEFAULT 0,
  minute_at timestamp with time zone NOT NULL DEFAULT now(),
  minute_count integer NOT NULL DEFAULT 0,
  is_storm boolean NOT NULL DEFAULT false,
  CONSTRAINT hooks_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT hooks_realm_id_bot_id_fkey FOREIGN KEY (realm_id, bot_id) REFERENCES users(realm_id, id),
  CONSTRAINT hooks_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT hooks_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT hooks_token_hash_key UNIQUE (token_hash)
);
CREATE UNIQUE INDEX hooks_by_api_key ON public.hooks USING btree (realm_id, bot_id, integration) WHERE (token_hash IS NULL);
CREATE INDEX hooks_by_bot ON public.hooks USING btree (realm_id, bot_id);
CREATE INDEX hooks_by_channel ON public.hooks USING btree (realm_id, channel_id);

CREATE TABLE idempotent_requests (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  is_applied boolean NOT NULL DEFAULT false,
  message_id bigint,
  status smallint,
  body_sealed bytea,
  CONSTRAINT idempotent_requests_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT idempotent_requests_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200))),
  CONSTRAINT idempotent_requests_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT idempotent_requests_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT idempotent_requests_user_id_key_key UNIQUE (user_id, key)
) WITH (fillfactor=70);
CREATE INDEX idempotent_requests_created_at_idx ON public.idempotent_requests USING btree (created_at);
CREATE UNIQUE INDEX idempotent_requests_id_key ON public.idempotent_requests USING btree (id);

CREATE TABLE import_map (
  realm_id bigint NOT NULL,
  kind text NOT NULL,
  key_hash bytea NOT NULL,
  new_id bigint NOT NULL,
  import_id bigint NOT NULL,
  CONSTRAINT import_map_pkey PRIMARY KEY (realm_id, kind, key_hash)
);

CREATE TABLE import_problems (
  realm_id bigint NOT NULL,
  import_id bigint NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  place text NOT NULL,
  error text NOT NULL,
  CONSTRAINT import_problems_pkey PRIMARY KEY (realm_id, import_id, number),
  CONSTRAINT import_problems_realm_id_import_id_fkey FOREIGN KEY (realm_id, import_id) REFERENCES imports(realm_id, id) ON DELETE CASCADE
);

CREATE TABLE imports (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  source text NOT NULL,
  digest bytea NOT NULL,
  state text NOT NULL,
  options jsonb NOT NULL,
  report jsonb,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT imports_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT imports_state_check CHECK ((state = ANY (ARRAY['loading'::text, 'done'::text]))),
  CONSTRAINT imports_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE incoming_emails (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint,
  message_id bigint,
  digest bytea NOT NULL,
  path text NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  outcome text,
  reason text,
  sent_message_id bigint,
  refusal_sent boolean NOT NULL DEFAULT false,
  channel_id bigint,
  creator_id bigint,
  options text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT incoming_emails_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT incoming_emails_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT incoming_emails_realm_id_creator_id_fkey FOREIGN KEY (realm_id, creator_id) REFERENCES users(realm_id, id),
  CONSTRAINT incoming_emails_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT incoming_emails_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT incoming_emails_realm_id_digest_key UNIQUE (realm_id, digest)
);
CREATE INDEX incoming_emails_by_channel ON public.incoming_emails USING btree (realm_id, channel_id, received_at) WHERE (channel_id IS NOT NULL);
CREATE INDEX incoming_emails_by_creator ON public.incoming_emails USING btree (realm_id, creator_id) WHERE (creator_id IS NOT NULL);
CREATE INDEX incoming_emails_by_path ON public.incoming_emails USING btree (realm_id, path) WHERE (outcome IS NULL);
CREATE INDEX incoming_emails_by_time ON public.incoming_emails USING btree (received_at);
CREATE INDEX incoming_emails_by_user ON public.incoming_emails USING btree (realm_id, user_id, received_at) WHERE (user_id IS NOT NULL);

CREATE TABLE invitations (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  kind text NOT NULL,
  inviter_id bigint,
  link_id bigint,
  email text,
  email_key text,
  role integer NOT NULL,
  channel_ids bigint[] NOT NULL,
  group_ids bigint[] NOT NULL,
  include_default_channels boolean NOT NULL,
  notify_inviter boolean NOT NULL,
  welcome_text text,
  token_hash bytea NOT NULL,
  token_sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  sent_at timestamp with time zone NOT NULL DEFAULT now(),
  sends integer NOT NULL DEFAULT 1,
  ended_at timestamp with time zone,
  CONSTRAINT invitations_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT invitations_check CHECK (((email IS NULL) = (kind = 'link'::text))),
  CONSTRAINT invitations_check1 CHECK (((email IS NULL) = (email_key IS NULL))),
  CONSTRAINT invitations_check2 CHECK (((inviter_id IS NOT NULL) OR (kind = 'sign_up'::text))),
  CONSTRAINT invitations_kind_check CHECK ((kind = ANY (ARRAY['email'::text, 'link'::text, 'sign_up'::text]))),
  CONSTRAINT invitations_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT invitations_realm_id_inviter_id_fkey FOREIGN KEY (realm_id, inviter_id) REFERENCES users(realm_id, id),
  CONSTRAINT invitations_realm_id_link_id_fkey FOREIGN KEY (realm_id, link_id) REFERENCES invitations(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT invitations_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX invitations_link_id_idx ON public.invitations USING btree (link_id);
CREATE INDEX invitations_realm_id_email_key_idx ON public.invitations USING btree (realm_id, email_key);
CREATE INDEX invitations_realm_id_inviter_id_idx ON public.invitations USING btree (realm_id, inviter_id);

CREATE TABLE link_previews (
  realm_id bigint NOT NULL,
  url_hash bytea NOT NULL,
  url text NOT NULL,
  title text,
  description text,
  image_url text,
  image_token text,
  image_path text,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT link_previews_pkey PRIMARY KEY (realm_id, url_hash),
  CONSTRAINT link_previews_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE UNIQUE INDEX link_previews_by_image ON public.link_previews USING btree (image_token);

CREATE TABLE linkifiers (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  pattern text NOT NULL,
  url_template text NOT NULL,
  example_input text,
  place integer NOT NULL,
  CONSTRAINT linkifiers_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT linkifiers_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT linkifiers_realm_id_pattern_key UNIQUE (realm_id, pattern)
);

CREATE TABLE local_sends (
  queue_id text NOT NULL,
  local_id text NOT NULL,
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  CONSTRAINT local_sends_pkey PRIMARY KEY (realm_id, queue_id, local_id),
  CONSTRAINT local_sends_realm_id_queue_id_fkey FOREIGN KEY (realm_id, queue_id) REFERENCES queues(realm_id, id) ON DELETE CASCADE
);

CREATE TABLE log_epochs (
  realm_id bigint NOT NULL,
  epoch bigint NOT NULL,
  after_event bigint NOT NULL,
  begun_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT log_epochs_pkey PRIMARY KEY (realm_id, epoch)
);

CREATE TABLE log_history (
  only_row boolean NOT NULL DEFAULT true,
  fingerprint text,
  data_folder text,
  CONSTRAINT log_history_pkey PRIMARY KEY (only_row),
  CONSTRAINT log_history_only_row_check CHECK (only_row)
);

CREATE TABLE login_failures (
  key text NOT NULL,
  failures integer NOT NULL,
  window_start timestamp with time zone NOT NULL,
  CONSTRAINT login_failures_pkey PRIMARY KEY (key)
);

CREATE TABLE message_flags (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  flags integer NOT NULL,
  CONSTRAINT message_flags_pkey PRIMARY KEY (realm_id, user_id, message_id),
  CONSTRAINT message_flags_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT message_flags_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX message_flags_by_message ON public.message_flags USING btree (realm_id, message_id);
CREATE INDEX message_flags_historical ON public.message_flags USING btree (realm_id, user_id, message_id) WHERE ((flags & 128) <> 0);
CREATE INDEX message_flags_starred ON public.message_flags USING btree (realm_id, user_id, message_id) WHERE ((flags & 4) <> 0);
CREATE INDEX message_flags_unread ON public.message_flags USING btree (realm_id, user_id, message_id) WHERE ((flags & 2) <> 0);

CREATE TABLE message_moves (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  mode text NOT NULL,
  channel_id bigint NOT NULL,
  topic_id bigint NOT NULL,
  to_channel_id bigint NOT NULL,
  to_topic text NOT NULL,
  to_topic_id bigint,
  joins boolean NOT NULL,
  notifies_old boolean NOT NULL,
  notifies_new boolean NOT NULL,
  up_to_message bigint NOT NULL DEFAULT 0,
  moved integer NOT NULL DEFAULT 0,
  total integer NOT NULL,
  touched_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  resolving boolean NOT NULL DEFAULT false,
  knows_target boolean,
  CONSTRAINT message_moves_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT message_moves_mode_check CHECK ((mode = ANY (ARRAY['change_one'::text, 'change_later'::text, 'change_all'::text]))),
  CONSTRAINT message_moves_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT message_moves_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE message_notices (
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  mode text NOT NULL,
  CONSTRAINT message_notices_pkey PRIMARY KEY (realm_id, message_id),
  CONSTRAINT message_notices_mode_check CHECK ((mode = ANY (ARRAY['silent'::text, 'anyway'::text]))),
  CONSTRAINT message_notices_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT message_notices_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE
);

CREATE TABLE message_streams (
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT message_streams_pkey PRIMARY KEY (realm_id, message_id),
  CONSTRAINT message_streams_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT message_streams_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE
);

CREATE TABLE messages (
  realm_id bigint NOT NULL,
  id bigint NOT NULL,
  recipient_id bigint NOT NULL,
  channel_id bigint,
  topic_id bigint,
  topic_since bigint NOT NULL DEFAULT 0,
  sender_id bigint NOT NULL,
  date_sent timestamp with time zone NOT NULL,
  client text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  read_by_sender boolean NOT NULL DEFAULT false,
  mentions_channel boolean NOT NULL DEFAULT false,
  has_attachment boolean NOT NULL DEFAULT false,
  has_image boolean NOT NULL DEFAULT false,
  has_link boolean NOT NULL DEFAULT false,
  edit_history jsonb,
  topic_spelling text,
  CONSTRAINT messages_pkey PRIMARY KEY (realm_id, id)
);
CREATE INDEX messages_by_gram ON public.messages USING gin (search_grams(content)) WITH (gin_pending_list_limit='256') WHERE has_grams(content);
CREATE INDEX messages_by_part ON public.messages USING gin (content gin_trgm_ops) WITH (gin_pending_list_limit='256');
CREATE INDEX messages_by_recipient ON public.messages USING btree (realm_id, recipient_id, id) INCLUDE (topic_id, sender_id, read_by_sender, mentions_channel);
CREATE INDEX messages_by_sender ON public.messages USING btree (realm_id, sender_id, id) INCLUDE (topic_id);
CREATE INDEX messages_by_topic ON public.messages USING btree (realm_id, topic_id, id) WHERE (topic_id IS NOT NULL);
CREATE INDEX messages_by_word ON public.messages USING gin (to_tsvector('english'::regconfig, content)) WITH (gin_pending_list_limit='256');
CREATE INDEX messages_to_everybody ON public.messages USING btree (realm_id, id) WHERE mentions_channel;
CREATE INDEX messages_with_spelling ON public.messages USING btree (realm_id, id) WHERE (topic_spelling IS NOT NULL);

CREATE TABLE migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  pending boolean NOT NULL DEFAULT false,
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE muted_users (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  muted_user_id bigint NOT NULL,
  date_muted timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT muted_users_pkey PRIMARY KEY (realm_id, user_id, muted_user_id),
  CONSTRAINT muted_users_realm_id_muted_user_id_fkey FOREIGN KEY (realm_id, muted_user_id) REFERENCES users(realm_id, id),
  CONSTRAINT muted_users_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX muted_users_realm_id_muted_user_id_idx ON public.muted_users USING btree (realm_id, muted_user_id);

CREATE TABLE notification_trail (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  way text NOT NULL,
  target_id bigint NOT NULL DEFAULT 0,
  outcome text NOT NULL,
  reason text,
  detail text,
  at timestamp with time zone NOT NULL DEFAULT now(),
  ended_at timestamp with time zone,
  CONSTRAINT notification_trail_pkey PRIMARY KEY (realm_id, user_id, message_id, way, target_id, outcome),
  CONSTRAINT notification_trail_detail_check CHECK ((length(detail) <= 200)),
  CONSTRAINT notification_trail_outcome_check CHECK ((outcome = ANY (ARRAY['sent'::text, 'dropped'::text, 'failed'::text, 'removed'::text]))),
  CONSTRAINT notification_trail_reason_check CHECK ((length(reason) <= 40)),
  CONSTRAINT notification_trail_way_check CHECK ((way = ANY (ARRAY['push'::text, 'email'::text]))),
  CONSTRAINT notification_trail_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT notification_trail_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX notification_trail_by_time ON public.notification_trail USING brin (at);
CREATE INDEX notification_trail_shown ON public.notification_trail USING btree (realm_id, message_id, user_id) WHERE ((way = 'push'::text) AND (outcome = 'sent'::text) AND (ended_at IS NULL));
CREATE INDEX notification_trail_shown_to ON public.notification_trail USING btree (realm_id, user_id, message_id) WHERE ((way = 'push'::text) AND (outcome = 'sent'::text) AND (ended_at IS NULL));

CREATE TABLE notified_anyway (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT notified_anyway_pkey PRIMARY KEY (realm_id, user_id, sender_id),
  CONSTRAINT notified_anyway_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT notified_anyway_realm_id_sender_id_fkey FOREIGN KEY (realm_id, sender_id) REFERENCES users(realm_id, id),
  CONSTRAINT notified_anyway_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE passkeys (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT passkeys_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT passkeys_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT passkeys_realm_id_credential_id_key UNIQUE (realm_id, credential_id)
);
CREATE INDEX passkeys_realm_id_user_id_idx ON public.passkeys USING btree (realm_id, user_id);

CREATE TABLE password_resets (
  token_hash bytea NOT NULL,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  email_key text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT password_resets_pkey PRIMARY KEY (realm_id, token_hash),
  CONSTRAINT password_resets_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT password_resets_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE UNIQUE INDEX password_resets_id_key ON public.password_resets USING btree (token_hash);
CREATE INDEX password_resets_realm_id_user_id_idx ON public.password_resets USING btree (realm_id, user_id);

CREATE TABLE pending_previews (
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  CONSTRAINT pending_previews_pkey PRIMARY KEY (realm_id, message_id),
  CONSTRAINT pending_previews_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE INDEX pending_previews_due ON public.pending_previews USING btree (due_at);

CREATE TABLE playgrounds (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  pygments_language text NOT NULL,
  url_template text NOT NULL,
  CONSTRAINT playgrounds_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT playgrounds_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT playgrounds_realm_id_pygments_language_name_key UNIQUE (realm_id, pygments_language, name)
);

CREATE TABLE presence (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  last_active_time timestamp with time zone,
  last_connected_time timestamp with time zone NOT NULL,
  update_id bigint NOT NULL,
  CONSTRAINT presence_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT presence_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX presence_realm_id_update_id_idx ON public.presence USING btree (realm_id, update_id);

CREATE TABLE preview_cursors (
  realm_id bigint NOT NULL,
  last_message bigint NOT NULL,
  CONSTRAINT preview_cursors_pkey PRIMARY KEY (realm_id),
  CONSTRAINT preview_cursors_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE processes (
  id uuid NOT NULL,
  serves boolean NOT NULL,
  job_pools text[] NOT NULL,
  since timestamp with time zone NOT NULL DEFAULT now(),
  seen_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT processes_pkey PRIMARY KEY (id)
);

CREATE TABLE profile_fields (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  hint text NOT NULL DEFAULT ''::text,
  field_type smallint NOT NULL,
  field_data text NOT NULL DEFAULT ''::text,
  place integer NOT NULL,
  display_in_profile_summary boolean NOT NULL DEFAULT false,
  required boolean NOT NULL DEFAULT false,
  editable_by_user boolean NOT NULL DEFAULT true,
  CONSTRAINT profile_fields_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT profile_fields_field_type_check CHECK (((field_type >= 1) AND (field_type <= 8))),
  CONSTRAINT profile_fields_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT profile_fields_realm_id_name_key UNIQUE (realm_id, name)
);

CREATE TABLE profile_values (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  field_id bigint NOT NULL,
  value text NOT NULL,
  rendered_value text,
  CONSTRAINT profile_values_pkey PRIMARY KEY (realm_id, user_id, field_id),
  CONSTRAINT profile_values_realm_id_field_id_fkey FOREIGN KEY (realm_id, field_id) REFERENCES profile_fields(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT profile_values_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX profile_values_field_id_idx ON public.profile_values USING btree (field_id);

CREATE TABLE provisioned_groups (
  realm_id bigint NOT NULL,
  group_id bigint NOT NULL,
  external_id text NOT NULL,
  CONSTRAINT provisioned_groups_pkey PRIMARY KEY (realm_id, group_id),
  CONSTRAINT provisioned_groups_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT provisioned_groups_realm_id_group_id_fkey FOREIGN KEY (realm_id, group_id) REFERENCES user_groups(realm_id, id)
);
CREATE INDEX provisioned_groups_realm_id_external_id_idx ON public.provisioned_groups USING btree (realm_id, external_id);

CREATE TABLE provisioned_users (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  user_name text NOT NULL,
  user_name_key text NOT NULL,
  external_id text,
  given_name text,
  family_name text,
  is_deleted boolean NOT NULL DEFAULT false,
  CONSTRAINT provisioned_users_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT provisioned_users_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT provisioned_users_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT provisioned_users_realm_id_user_name_key_key UNIQUE (realm_id, user_name_key)
);
CREATE INDEX provisioned_users_realm_id_external_id_idx ON public.provisioned_users USING btree (realm_id, external_id);

CREATE TABLE push_tokens (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  kind text NOT NULL,
  token text NOT NULL,
  app_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT push_tokens_kind_check CHECK ((kind = ANY (ARRAY['apns'::text, 'fcm'::text]))),
  CONSTRAINT push_tokens_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE UNIQUE INDEX push_tokens_realm_id_user_id_kind_md5_idx ON public.push_tokens USING btree (realm_id, user_id, kind, md5(token));

CREATE TABLE queues (
  id text NOT NULL,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  start_event bigint NOT NULL,
  acknowledged_event bigint NOT NULL,
  lifetime_seconds integer NOT NULL,
  last_seen timestamp with time zone NOT NULL DEFAULT now(),
  options jsonb NOT NULL,
  credential_id bigint,
  epoch bigint,
  CONSTRAINT queues_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT queues_realm_id_credential_id_fkey FOREIGN KEY (realm_id, credential_id) REFERENCES credentials(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT queues_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT queues_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX queues_credential_id_idx ON public.queues USING btree (credential_id) WHERE (credential_id IS NOT NULL);
CREATE UNIQUE INDEX queues_id_key ON public.queues USING btree (id);
CREATE INDEX queues_realm_id_user_id_idx ON public.queues USING btree (realm_id, user_id);

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  allowance double precision NOT NULL,
  tokens double precision NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
) WITH (fillfactor=50);

CREATE TABLE reactions (
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  user_id bigint NOT NULL,
  reaction_type text NOT NULL,
  emoji_code text NOT NULL,
  emoji_name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT reactions_pkey PRIMARY KEY (realm_id, message_id, user_id, reaction_type, emoji_code),
  CONSTRAINT reactions_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT reactions_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE realm_counters (
  realm_id bigint NOT NULL,
  last_event bigint NOT NULL DEFAULT 0,
  last_message bigint NOT NULL DEFAULT 0,
  access_version bigint NOT NULL DEFAULT 0,
  trimmed_event bigint NOT NULL DEFAULT 0,
  epoch bigint NOT NULL DEFAULT 0,
  state_event bigint NOT NULL DEFAULT 0,
  topic_version bigint NOT NULL DEFAULT 0,
  CONSTRAINT realm_counters_pkey PRIMARY KEY (realm_id),
  CONSTRAINT realm_counters_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
) WITH (fillfactor=10);

CREATE TABLE realm_domains (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  domain text NOT NULL,
  allow_subdomains boolean NOT NULL,
  CONSTRAINT realm_domains_pkey PRIMARY KEY (realm_id, domain),
  CONSTRAINT realm_domains_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE realm_emoji (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  name text NOT NULL,
  author_id bigint,
  file_name text NOT NULL,
  still_file_name text,
  deactivated boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT realm_emoji_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT realm_emoji_realm_id_author_id_fkey FOREIGN KEY (realm_id, author_id) REFERENCES users(realm_id, id),
  CONSTRAINT realm_emoji_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE UNIQUE INDEX realm_emoji_in_use ON public.realm_emoji USING btree (realm_id, name) WHERE (NOT deactivated);
CREATE INDEX realm_emoji_realm_id_id_idx ON public.realm_emoji USING btree (realm_id, id);

CREATE TABLE realm_exports (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  acting_user_id bigint NOT NULL,
  export_type smallint NOT NULL,
  base_url text NOT NULL,
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  path text,
  succeeded_at timestamp with time zone,
  failed_at timestamp with time zone,
  deleted_at timestamp with time zone,
  CONSTRAINT realm_exports_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT realm_exports_export_type_check CHECK ((export_type = ANY (ARRAY[1, 2]))),
  CONSTRAINT realm_exports_realm_id_acting_user_id_fkey FOREIGN KEY (realm_id, acting_user_id) REFERENCES users(realm_id, id),
  CONSTRAINT realm_exports_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE INDEX realm_exports_pending ON public.realm_exports USING btree (id) WHERE ((succeeded_at IS NULL) AND (failed_at IS NULL));
CREATE INDEX realm_exports_realm_id_id_idx ON public.realm_exports USING btree (realm_id, id);

CREATE TABLE realm_permissions (
  realm_id bigint NOT NULL,
  setting text NOT NULL,
  group_id bigint NOT NULL,
  CONSTRAINT realm_permissions_pkey PRIMARY KEY (realm_id, setting),
  CONSTRAINT realm_permissions_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT realm_permissions_realm_id_group_id_fkey FOREIGN KEY (realm_id, group_id) REFERENCES user_groups(realm_id, id)
);

CREATE TABLE realms (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  string_id text NOT NULL,
  host text,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  rendered_description text NOT NULL DEFAULT ''::text,
  date_created timestamp with time zone NOT NULL DEFAULT now(),
  deactivated boolean NOT NULL DEFAULT false,
  settings jsonb NOT NULL DEFAULT '{}'::jsonb,
  user_settings_defaults jsonb NOT NULL DEFAULT '{}'::jsonb,
  alert_words_version bigint NOT NULL DEFAULT 0,
  deactivated_at timestamp with time zone,
  icon_path text,
  logo_path text,
  night_logo_path text,
  deletion_started_at timestamp with time zone,
  upload_quota_mib integer,
  CONSTRAINT realms_pkey PRIMARY KEY (id),
  CONSTRAINT realms_host_key UNIQUE NULLS NOT DISTINCT (host),
  CONSTRAINT realms_string_id_key UNIQUE (string_id)
);
CREATE TRIGGER follow_links AFTER UPDATE OF settings ON public.realms FOR EACH ROW WHEN (((old.settings -> 'inline_url_embed_preview'::text) IS DISTINCT FROM (new.settings -> 'inline_url_embed_preview'::text))) EXECUTE FUNCTION follow_links();

CREATE TABLE recovery_codes (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  code_hash bytea NOT NULL,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (realm_id, user_id, code_hash),
  CONSTRAINT recovery_codes_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT recovery_codes_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE reminders (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id bigint NOT NULL,
  message_id bigint NOT NULL,
  note text NOT NULL,
  content text NOT NULL,
  rendered_content text NOT NULL,
  delivery_time timestamp with time zone NOT NULL,
  failed boolean NOT NULL DEFAULT false,
  CONSTRAINT reminders_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT reminders_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT reminders_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX reminders_by_user ON public.reminders USING btree (realm_id, user_id, delivery_time);

CREATE TABLE resolve_notices (
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  resolved boolean NOT NULL,
  CONSTRAINT resolve_notices_pkey PRIMARY KEY (realm_id, message_id),
  CONSTRAINT resolve_notices_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE
);

CREATE TABLE resumable_uploads (
  realm_id bigint NOT NULL,
  id text NOT NULL,
  owner_id bigint NOT NULL,
  name text NOT NULL,
  content_type text NOT NULL,
  size bigint NOT NULL,
  received bigint NOT NULL DEFAULT 0,
  parts text[] NOT NULL DEFAULT '{}'::text[],
  path_id text,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT resumable_uploads_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT resumable_uploads_check CHECK ((received <= size)),
  CONSTRAINT resumable_uploads_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT resumable_uploads_realm_id_owner_id_fkey FOREIGN KEY (realm_id, owner_id) REFERENCES users(realm_id, id)
);
CREATE INDEX resumable_uploads_expires_at_idx ON public.resumable_uploads USING btree (expires_at);
CREATE INDEX resumable_uploads_realm_id_owner_id_idx ON public.resumable_uploads USING btree (realm_id, owner_id);

CREATE TABLE saved_snippets (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  title text NOT NULL,
  content text NOT NULL,
  date_created timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT saved_snippets_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT saved_snippets_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT saved_snippets_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX saved_snippets_realm_id_user_id_id_idx ON public.saved_snippets USING btree (realm_id, user_id, id);

CREATE TABLE scheduled_messages (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  type text NOT NULL,
  recipients bigint[] NOT NULL,
  topic text,
  content text NOT NULL,
  rendered_content text NOT NULL,
  delivery_time timestamp with time zone NOT NULL,
  read_by_sender boolean NOT NULL,
  client text NOT NULL,
  failed boolean NOT NULL DEFAULT false,
  CONSTRAINT scheduled_messages_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT scheduled_messages_type_check CHECK ((type = ANY (ARRAY['private'::text, 'stream'::text]))),
  CONSTRAINT scheduled_messages_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT scheduled_messages_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX scheduled_messages_due ON public.scheduled_messages USING btree (delivery_time) WHERE (NOT failed);
CREATE INDEX scheduled_messages_realm_id_user_id_delivery_time_idx ON public.scheduled_messages USING btree (realm_id, user_id, delivery_time);

CREATE TABLE scim_tokens (
  realm_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  used_at timestamp with time zone,
  CONSTRAINT scim_tokens_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT scim_tokens_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT scim_tokens_secret_hash_key UNIQUE (secret_hash)
);

CREATE TABLE send_batches (
  committer uuid NOT NULL,
  number bigint NOT NULL,
  message_ids bigint[],
  written_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT send_batches_pkey PRIMARY KEY (committer)
) WITH (fillfactor=20);

CREATE TABLE server_generation (
  only_row boolean NOT NULL DEFAULT true,
  version text NOT NULL,
  generation bigint NOT NULL,
  CONSTRAINT server_generation_pkey PRIMARY KEY (only_row),
  CONSTRAINT server_generation_only_row_check CHECK (only_row)
);

CREATE TABLE server_settings (
  is_only boolean NOT NULL DEFAULT true,
  maintenance text,
  rate_limit integer,
  backed_up_at timestamp with time zone,
  CONSTRAINT server_settings_pkey PRIMARY KEY (is_only),
  CONSTRAINT server_settings_is_only_check CHECK (is_only)
);

CREATE TABLE sign_in_places (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  place_hash bytea NOT NULL,
  seen_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sign_in_places_pkey PRIMARY KEY (realm_id, user_id, place_hash),
  CONSTRAINT sign_in_places_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT sign_in_places_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE start_links (
  id integer NOT NULL DEFAULT 1,
  token_hash bytea NOT NULL,
  CONSTRAINT start_links_pkey PRIMARY KEY (id),
  CONSTRAINT start_links_id_check CHECK ((id = 1))
);

CREATE TABLE submessages (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  msg_type text NOT NULL,
  content text NOT NULL,
  CONSTRAINT submessages_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT submessages_realm_id_message_id_fkey FOREIGN KEY (realm_id, message_id) REFERENCES messages(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT submessages_realm_id_sender_id_fkey FOREIGN KEY (realm_id, sender_id) REFERENCES users(realm_id, id)
);
CREATE INDEX submessages_realm_id_message_id_id_idx ON public.submessages USING btree (realm_id, message_id, id);

CREATE TABLE subscription_periods (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  from_event bigint NOT NULL,
  from_message bigint NOT NULL,
  to_event bigint,
  to_message bigint,
  CONSTRAINT subscription_periods_pkey PRIMARY KEY (realm_id, user_id, channel_id, from_event),
  CONSTRAINT subscription_periods_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT subscription_periods_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX subscription_periods_by_end ON public.subscription_periods USING btree (realm_id, channel_id, to_message, from_message);

CREATE TABLE subscriptions (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  is_active boolean NOT NULL,
  color text NOT NULL,
  is_muted boolean NOT NULL DEFAULT false,
  pin_to_top boolean NOT NULL DEFAULT false,
  desktop_notifications boolean,
  audible_notifications boolean,
  push_notifications boolean,
  email_notifications boolean,
  wildcard_mentions_notify boolean,
  read_floor bigint NOT NULL DEFAULT 0,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (realm_id, user_id, channel_id),
  CONSTRAINT subscriptions_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT subscriptions_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX subscriptions_by_channel ON public.subscriptions USING btree (realm_id, channel_id, user_id) WHERE is_active;
CREATE INDEX subscriptions_with_email ON public.subscriptions USING btree (realm_id, channel_id) WHERE (is_active AND email_notifications);

CREATE TABLE suspensions (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  suspended_by bigint NOT NULL,
  suspended_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT suspensions_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT suspensions_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT suspensions_realm_id_suspended_by_fkey FOREIGN KEY (realm_id, suspended_by) REFERENCES users(realm_id, id),
  CONSTRAINT suspensions_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX suspensions_by_actor ON public.suspensions USING btree (realm_id, suspended_by);
CREATE INDEX suspensions_by_end ON public.suspensions USING btree (ends_at);

CREATE TABLE tls_certificates (
  host text NOT NULL,
  chain text,
  key_sealed bytea,
  not_after timestamp with time zone,
  renew_at timestamp with time zone NOT NULL DEFAULT now(),
  tried_at timestamp with time zone,
  checked_at timestamp with time zone NOT NULL DEFAULT now(),
  failures integer NOT NULL DEFAULT 0,
  problem text,
  CONSTRAINT tls_certificates_pkey PRIMARY KEY (host),
  CONSTRAINT tls_certificates_check CHECK ((((chain IS NULL) = (key_sealed IS NULL)) AND ((chain IS NULL) = (not_after IS NULL))))
);

CREATE TABLE tls_challenges (
  host text NOT NULL,
  token text NOT NULL,
  key_authorization text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT tls_challenges_pkey PRIMARY KEY (host),
  CONSTRAINT tls_challenges_token_key UNIQUE (token)
);

CREATE TABLE topic_history (
  realm_id bigint NOT NULL,
  topic_id bigint NOT NULL,
  number bigint NOT NULL,
  up_to_message bigint NOT NULL,
  entry jsonb NOT NULL,
  CONSTRAINT topic_history_pkey PRIMARY KEY (realm_id, topic_id, number),
  CONSTRAINT topic_history_realm_id_topic_id_fkey FOREIGN KEY (realm_id, topic_id) REFERENCES topics(realm_id, id) ON DELETE CASCADE
);

CREATE TABLE topics (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  channel_id bigint NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  CONSTRAINT topics_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT topics_realm_id_channel_id_fkey FOREIGN KEY (realm_id, channel_id) REFERENCES channels(realm_id, id),
  CONSTRAINT topics_realm_id_channel_id_name_key_key UNIQUE (realm_id, channel_id, name_key)
);
CREATE INDEX topics_by_gram ON public.topics USING gin (search_grams(name)) WHERE has_grams(name);
CREATE INDEX topics_by_part ON public.topics USING gin (name gin_trgm_ops);
CREATE INDEX topics_by_word ON public.topics USING gin (to_tsvector('english'::regconfig, name));
CREATE TRIGGER note_topic_change AFTER UPDATE ON public.topics FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.channel_id IS DISTINCT FROM new.channel_id))) EXECUTE FUNCTION note_topic_change();

CREATE TABLE totp_factors (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  secret_sealed bytea NOT NULL,
  last_step bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT totp_factors_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT totp_factors_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT totp_factors_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);

CREATE TABLE used_challenges (
  challenge_hash bytea NOT NULL,
  used_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT used_challenges_pkey PRIMARY KEY (challenge_hash)
);

CREATE TABLE user_groups (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  realm_id bigint NOT NULL,
  name text,
  description text NOT NULL DEFAULT ''::text,
  is_system_group boolean NOT NULL DEFAULT false,
  creator_id bigint,
  date_created timestamp with time zone,
  deactivated boolean NOT NULL DEFAULT false,
  can_add_members_group bigint NOT NULL,
  can_join_group bigint NOT NULL,
  can_leave_group bigint NOT NULL,
  can_manage_group bigint NOT NULL,
  can_mention_group bigint NOT NULL,
  can_remove_members_group bigint NOT NULL,
  CONSTRAINT user_groups_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT user_groups_realm_id_can_add_members_group_fkey FOREIGN KEY (realm_id, can_add_members_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT user_groups_realm_id_can_join_group_fkey FOREIGN KEY (realm_id, can_join_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT user_groups_realm_id_can_leave_group_fkey FOREIGN KEY (realm_id, can_leave_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT user_groups_realm_id_can_manage_group_fkey FOREIGN KEY (realm_id, can_manage_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT user_groups_realm_id_can_mention_group_fkey FOREIGN KEY (realm_id, can_mention_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT user_groups_realm_id_can_remove_members_group_fkey FOREIGN KEY (realm_id, can_remove_members_group) REFERENCES user_groups(realm_id, id),
  CONSTRAINT user_groups_realm_id_creator_id_fkey FOREIGN KEY (realm_id, creator_id) REFERENCES users(realm_id, id),
  CONSTRAINT user_groups_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT user_groups_realm_id_name_key UNIQUE (realm_id, name)
);

CREATE TABLE user_statuses (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  status_text text NOT NULL DEFAULT ''::text,
  emoji_name text NOT NULL DEFAULT ''::text,
  emoji_code text NOT NULL DEFAULT ''::text,
  reaction_type text NOT NULL DEFAULT ''::text,
  scheduled_end_time bigint,
  CONSTRAINT user_statuses_pkey PRIMARY KEY (realm_id, user_id),
  CONSTRAINT user_statuses_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX user_statuses_end ON public.user_statuses USING btree (scheduled_end_time) WHERE (scheduled_end_time IS NOT NULL);

CREATE TABLE user_topics (
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  topic_id bigint NOT NULL,
  visibility_policy smallint NOT NULL,
  spelling text,
  last_updated timestamp with time zone NOT NULL DEFAULT now(),
  is_hidden boolean NOT NULL DEFAULT false,
  CONSTRAINT user_topics_pkey PRIMARY KEY (realm_id, user_id, topic_id),
  CONSTRAINT user_topics_visibility_policy_check CHECK ((visibility_policy = ANY (ARRAY[1, 2, 3]))),
  CONSTRAINT user_topics_realm_id_topic_id_fkey FOREIGN KEY (realm_id, topic_id) REFERENCES topics(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT user_topics_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id)
);
CREATE INDEX user_topics_by_topic ON public.user_topics USING btree (realm_id, topic_id);

CREATE TABLE users (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  full_name text NOT NULL,
  role smallint NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  bot_type smallint,
  bot_owner_id bigint,
  is_system_bot boolean NOT NULL DEFAULT false,
  password_hash text,
  api_key_hash bytea NOT NULL,
  api_key_sealed bytea NOT NULL,
  date_joined timestamp with time zone NOT NULL DEFAULT now(),
  timezone text NOT NULL DEFAULT ''::text,
  avatar_source text NOT NULL DEFAULT 'G'::text,
  avatar_version integer NOT NULL DEFAULT 1,
  avatar_path text,
  settings jsonb NOT NULL DEFAULT '{}'::jsonb,
  can_create_users boolean NOT NULL DEFAULT false,
  can_change_user_emails boolean NOT NULL DEFAULT false,
  is_imported_stub boolean NOT NULL DEFAULT false,
  CONSTRAINT users_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT users_avatar_source_check CHECK ((avatar_source = ANY (ARRAY['G'::text, 'U'::text]))),
  CONSTRAINT users_avatar_uploaded CHECK (((avatar_source = 'U'::text) = (avatar_path IS NOT NULL))),
  CONSTRAINT users_bot_type_check CHECK ((bot_type = ANY (ARRAY[1, 2, 3, 4]))),
  CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY[100, 200, 300, 400, 600]))),
  CONSTRAINT users_realm_id_bot_owner_id_fkey FOREIGN KEY (realm_id, bot_owner_id) REFERENCES users(realm_id, id),
  CONSTRAINT users_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT users_api_key_hash_key UNIQUE (api_key_hash),
  CONSTRAINT users_realm_id_email_key_key UNIQUE (realm_id, email_key)
);
CREATE INDEX users_by_bot_owner ON public.users USING btree (realm_id, bot_owner_id) WHERE (bot_owner_id IS NOT NULL);
CREATE INDEX users_deactivated ON public.users USING btree (realm_id, id) WHERE (NOT is_active);
CREATE INDEX users_imported_stubs ON public.users USING btree (realm_id, id) WHERE is_imported_stub;
CREATE INDEX users_system_bots ON public.users USING btree (realm_id) WHERE is_system_bot;
CREATE INDEX users_with_channel_emails ON public.users USING btree (realm_id, id) WHERE (settings @> '{"enable_stream_email_notifications": true}'::jsonb);
CREATE TRIGGER lower_roles_of_bots AFTER INSERT OR UPDATE OF role, bot_owner_id ON public.users FOR EACH ROW EXECUTE FUNCTION lower_roles_of_bots();

CREATE TABLE vapid_keys (
  id boolean NOT NULL DEFAULT true,
  public_key bytea NOT NULL,
  private_key_sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT vapid_keys_pkey PRIMARY KEY (id),
  CONSTRAINT vapid_keys_id_check CHECK (id)
);

CREATE TABLE web_push_cursors (
  realm_id bigint NOT NULL,
  last_message bigint NOT NULL,
  last_event bigint,
  CONSTRAINT web_push_cursors_pkey PRIMARY KEY (realm_id),
  CONSTRAINT web_push_cursors_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE web_push_deliveries (
  subscription_id bigint NOT NULL,
  realm_id bigint NOT NULL,
  message_id bigint NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  verb text NOT NULL DEFAULT 'show'::text,
  waits_for text,
  CONSTRAINT web_push_deliveries_pkey PRIMARY KEY (realm_id, subscription_id, message_id),
  CONSTRAINT web_push_deliveries_verb_check CHECK ((verb = ANY (ARRAY['show'::text, 'remove'::text]))),
  CONSTRAINT web_push_deliveries_realm_id_subscription_id_fkey FOREIGN KEY (realm_id, subscription_id) REFERENCES web_push_subscriptions(realm_id, id) ON DELETE CASCADE
);
CREATE INDEX web_push_deliveries_due_at_idx ON public.web_push_deliveries USING btree (due_at);
CREATE UNIQUE INDEX web_push_deliveries_id_key ON public.web_push_deliveries USING btree (subscription_id, message_id);

CREATE TABLE web_push_subscriptions (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  user_id bigint NOT NULL,
  credential_id bigint,
  endpoint text NOT NULL,
  public_key bytea NOT NULL,
  auth_secret bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  succeeded_at timestamp with time zone,
  failed_at timestamp with time zone,
  failure text,
  CONSTRAINT web_push_subscriptions_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT web_push_subscriptions_endpoint_check CHECK ((length(endpoint) <= 1000)),
  CONSTRAINT web_push_subscriptions_failure_check CHECK ((length(failure) <= 200)),
  CONSTRAINT web_push_subscriptions_realm_id_credential_id_fkey FOREIGN KEY (realm_id, credential_id) REFERENCES credentials(realm_id, id) ON DELETE CASCADE,
  CONSTRAINT web_push_subscriptions_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  CONSTRAINT web_push_subscriptions_realm_id_user_id_fkey FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  CONSTRAINT web_push_subscriptions_realm_id_endpoint_key UNIQUE (realm_id, endpoint)
);
CREATE INDEX web_push_subscriptions_credential_id_idx ON public.web_push_subscriptions USING btree (credential_id);
CREATE INDEX web_push_subscriptions_realm_id_user_id_idx ON public.web_push_subscriptions USING btree (realm_id, user_id);

CREATE TABLE webhook_cursors (
  realm_id bigint NOT NULL,
  bot_id bigint NOT NULL,
  last_event bigint NOT NULL,
  failing_since timestamp with time zone,
  CONSTRAINT webhook_cursors_pkey PRIMARY KEY (realm_id, bot_id),
  CONSTRAINT webhook_cursors_realm_id_bot_id_fkey FOREIGN KEY (realm_id, bot_id) REFERENCES users(realm_id, id),
  CONSTRAINT webhook_cursors_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);

CREATE TABLE webhook_deliveries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  realm_id bigint NOT NULL,
  bot_id bigint NOT NULL,
  message_id bigint,
  trigger text NOT NULL,
  status text NOT NULL DEFAULT 'waiting'::text,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  finished_at timestamp with time zone,
  duration_ms integer,
  response_status integer,
  error text,
  event_seq bigint,
  channel_id bigint,
  event text,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (realm_id, id),
  CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT webhook_deliveries_realm_id_bot_id_fkey FOREIGN KEY (realm_id, bot_id) REFERENCES users(realm_id, id),
  CONSTRAINT webhook_deliveries_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
CREATE INDEX webhook_deliveries_open ON public.webhook_deliveries USING btree (due_at) WHERE (status = ANY (ARRAY['waiting'::text, 'sending'::text]));
CREATE INDEX webhook_deliveries_open_by_bot ON public.webhook_deliveries USING btree (realm_id, bot_id, id) WHERE (status = ANY (ARRAY['waiting'::text, 'sending'::text]));
CREATE INDEX webhook_deliveries_personal ON public.webhook_deliveries USING btree (realm_id, bot_id, message_id) WHERE (event_seq IS NULL);
CREATE INDEX webhook_deliveries_realm_id_bot_id_id_idx ON public.webhook_deliveries USING btree (realm_id, bot_id, id);

CREATE TABLE jobs.jobs (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  task text NOT NULL,
  payload json NOT NULL DEFAULT '{}'::json,
  line_id integer,
  key text,
  run_at timestamp with time zone NOT NULL DEFAULT now(),
  attempts smallint NOT NULL DEFAULT 0,
  max_attempts smallint NOT NULL DEFAULT 25,
  last_error text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  locked_at timestamp with time zone,
  locked_by text,
  is_available boolean NOT NULL GENERATED ALWAYS AS (((locked_at IS NULL) AND (attempts < max_attempts))) STORED,
  CONSTRAINT jobs_pkey PRIMARY KEY (id),
  CONSTRAINT jobs_key_check CHECK (((length(key) >= 1) AND (length(key) <= 512))),
  CONSTRAINT jobs_max_attempts_check CHECK ((max_attempts >= 1)),
  CONSTRAINT jobs_task_check CHECK ((length(task) <= 128)),
  CONSTRAINT jobs_key_key UNIQUE (key)
);
CREATE INDEX jobs_available ON jobs.jobs USING btree (run_at) INCLUDE (id, task, line_id) WHERE is_available;

CREATE TABLE jobs.lines (
  id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  locked_at timestamp with time zone,
  locked_by text,
  is_available boolean NOT NULL GENERATED ALWAYS AS ((locked_at IS NULL)) STORED,
  CONSTRAINT lines_pkey PRIMARY KEY (id),
  CONSTRAINT lines_name_check CHECK ((length(name) <= 128)),
  CONSTRAINT lines_name_key UNIQUE (name)
);

CREATE TABLE jobs.schedules (
  task text NOT NULL,
  last_run timestamp with time zone NOT NULL,
  CONSTRAINT schedules_pkey PRIMARY KEY (task)
);

CREATE OR REPLACE FUNCTION public.append_edit(history jsonb, edit jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  history := coalesce(history, '[]') || edit;
  if jsonb_array_length(history) <= 1100 and pg_column_size(history) <= 900000 then
    return history;
  end if;
  return trim_edits(history);
end
$function$
;

CREATE OR REPLACE FUNCTION public.audit_hash(previous bytea, r audit_log)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select sha256(previous || convert_to((jsonb_build_array(
    r.realm_id, r.number, r.acting_user_id, r.action, r.target, r.before, r.after, r.via, r.credential_id, r.ip_address,
    (extract(epoch from r.created_at) * 1000000)::bigint)
    || case when r.actor_owner_id is null then '[]' else jsonb_build_array(r.actor_owner_id) end)::text, 'UTF8'))
$function$
;

CREATE OR REPLACE FUNCTION public.begin_epoch(realm_ids bigint[], jump bigint, least_epoch bigint DEFAULT 0, least_event bigint DEFAULT 0)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from realm_counters where realm_id = any (realm_ids) order by realm_id for update;
  insert into log_epochs (realm_id, epoch, after_event)
  select realm_id, greatest(epoch, least_epoch) + 1, last_event from realm_counters where realm_id = any (realm_ids);
  update realm_counters
     set epoch = greatest(epoch, least_epoch) + 1, last_event = greatest(last_event, least_event) + jump,
         last_message = last_message + jump - 1, access_version = access_version + jump
   where realm_id = any (realm_ids);
end
$function$
;

CREATE OR REPLACE FUNCTION public.chain_audit_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  previous bytea;
begin
  insert into audit_chains (realm_id, number, hash) values (new.realm_id, 0, '') on conflict do nothing;
  select c.number + 1, c.hash into new.number, previous from audit_chains c where c.realm_id = new.realm_id for update;
  new.created_at := clock_timestamp();
  select u.bot_owner_id into new.actor_owner_id from users u
   where u.realm_id = new.realm_id and u.id = new.acting_user_id;
  new.hash := audit_hash(previous, new);
  update audit_chains set number = new.number, hash = new.hash where realm_id = new.realm_id;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.check_data_folder(present text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  stored text;
begin
  select data_folder into stored from log_history for update;
  if stored = present then return; end if;
  update log_history set data_folder = present;
  if stored is not null then perform begin_epoch(array(select realm_id from realm_counters), 1000000); end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.check_history()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  present text;
  stored text;
begin
  if pg_is_in_recovery() then return; end if;
  select concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
                   (select oid from pg_database where datname = current_database()), 'log_history'::regclass::oid)
    into present from pg_control_system();
  select fingerprint into stored from log_history;
  if stored = present then return; end if;
  select fingerprint into stored from log_history for update;
  if stored = present then return; end if; -- another connection was faster
  update log_history set fingerprint = present;
  if stored is not null then perform begin_epoch(array(select realm_id from realm_counters), 1000000); end if;
end
$function$
;

CREATE OR REPLACE FUNCTION public.follow_links()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if coalesce((new.settings ->> 'inline_url_embed_preview')::boolean, false) then
    insert into preview_cursors (realm_id, last_message)
    select realm_id, last_message from realm_counters where realm_id = new.id
    on conflict do nothing;
  else
    delete from preview_cursors where realm_id = new.id;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.has_grams(text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ($1 ~ '[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\ud7ff\uf900-\ufdff\ufe30-\uffff\U00010000-\U0010ffff]'::text)
;

CREATE OR REPLACE FUNCTION public.lower_roles_of_bots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  bot record;
begin
  for bot in
    select b.id, o.role, case o.role
             when 200 then '{role:administrators}' when 300 then '{role:moderators}' when 600 then '{role:everyone}'
             else case when extract(epoch from now() - b.date_joined)
                              >= coalesce((r.settings ->> 'waiting_period_threshold')::bigint, 0) * 86400
                  then '{role:members,role:fullmembers}' else '{role:members}' end
           end::text[] as groups
      from users b
      join users o on o.realm_id = b.realm_id and o.id = b.bot_owner_id
      join realms r on r.id = b.realm_id
     where b.realm_id = new.realm_id and (b.id = new.id or b.bot_owner_id = new.id) and b.role < o.role
  loop
    update users set role = bot.role where realm_id = new.realm_id and id = bot.id;
    delete from group_members m using user_groups g
     where m.realm_id = new.realm_id and m.user_id = bot.id and g.realm_id = m.realm_id and g.id = m.group_id
       and g.is_system_group;
    insert into group_members (realm_id, group_id, user_id)
    select g.realm_id, g.id, bot.id from user_groups g
     where g.realm_id = new.realm_id and g.is_system_group and g.name = any(bot.groups);
  end loop;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_state_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- The counter already counts all events of the statement, so only the first of them changes it.
  update realm_counters set state_event = greatest(last_event, new.seq)
   where realm_id = new.realm_id and state_event < new.seq;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_topic_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update realm_counters set topic_version = topic_version + 1 where realm_id = new.realm_id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.search_grams(text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT array_agg(DISTINCT grams.gram) AS array_agg FROM (SELECT l.letter, (l.letter || lead(l.letter) OVER (PARTITION BY r.run ORDER BY l.place)) AS pair FROM regexp_matches(lower($1), '[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\ud7ff\uf900-\ufdff\ufe30-\uffff\U00010000-\U0010ffff]+'::text, 'g'::text) WITH ORDINALITY r(found, run), LATERAL string_to_table(r.found[1], NULL::text) WITH ORDINALITY l(letter, place)) letters, LATERAL (VALUES (letters.letter), (letters.pair)) grams(gram) WHERE (grams.gram IS NOT NULL))
;

CREATE OR REPLACE FUNCTION public.send_messages(realm_ids bigint[], batch json)
 RETURNS TABLE(ordinal integer, status text, message_id bigint, seq bigint, topic_id bigint, topic_name text, event_head text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
begin
  perform 1 from realm_counters c where c.realm_id = any (realm_ids) order by c.realm_id for update;

  -- A new statement has a new snapshot: it sees everything committed before this transaction got the locks.
  return query
  with input as materialized (
    select x.*, case when x.local_id is not null then
             (select s.message_id from local_sends s
               where s.queue_id = x.queue_id and s.local_id = x.local_id and s.realm_id = x.realm_id) end as earlier
      from json_to_recordset(batch) as x(
      ordinal integer, realm_id bigint, access_version bigint, queue_id text, local_id text,
      sender_id bigint, recipient_id bigint, channel_id bigint, topic_name text, topic_key text, user_ids bigint[],
      client text, content text, rendered_content text, read_by_sender boolean, mentions_channel boolean,
      has_attachment boolean, has_image boolean, has_link boolean,
      payload json, audience jsonb, personal jsonb, flags json, claim_id bigint)
  ), checked as materialized (
    select i.*, c.last_event, c.last_message,
           case when i.earlier is not null then 'repeated'
                when i.claim_id is not null and not exists (select 1 from idempotent_requests r where r.id = i.claim_id)
                  then 'superseded'
                when i.access_version is not null and i.access_version <> c.access_version then 'stale'
                when i.local_id is not null and row_number() over (partition by i.queue_id, i.local_id order by i.ordinal) > 1
                  then 'stale' -- its twin goes first; the retry finds it repeated
                else 'sent' end as status
      from input i
      join realm_counters c on c.realm_id = i.realm_id
  ), accepted as materialized (
    select * from checked where status = 'sent'
  ), made_topics as (
    insert into topics (realm_id, channel_id, name, name_key)
    select distinct on (a.realm_id, a.channel_id, a.topic_key) a.realm_id, a.channel_id, a.topic_name, a.topic_key
      from accepted a
     where a.channel_id is not null
       and not exists (select 1 from topics t where t.realm_id = a.realm_id and t.channel_id = a.channel_id and t.name_key = a.topic_key)
     order by a.realm_id, a.channel_id, a.topic_key, a.ordinal
    returning id, realm_id, channel_id, name, name_key
  ), made_conversations as (
    insert into direct_conversations (realm_id, user_ids)
    select distinct a.realm_id, a.user_ids from accepted a
     where a.channel_id is null
       and not exists (select 1 from direct_conversations d where d.realm_id = a.realm_id and d.user_ids = a.user_ids)
    returning recipient_id, realm_id, user_ids
  ), made_participants as (
    insert into direct_participants (realm_id, user_id, recipient_id)
    select m.realm_id, u, m.recipient_id from made_conversations m, unnest(m.user_ids) u
  ), numbered as (
    select a.*, t.id as topic_id, t.name as place_name,
           coalesce(a.recipient_id, d.recipient_id) as place_id,
           a.last_message + row_number() over (partition by a.realm_id order by a.ordinal) as message_id,
           a.last_event + row_number() over (partition by a.realm_id order by a.ordinal) as seq,
           clock_timestamp() as sent_at
      from accepted a
      left join (select id, realm_id, channel_id, name, name_key from made_topics
                 union all
                 select id, realm_id, channel_id, name, name_key from topics) t
        on t.realm_id = a.realm_id and t.channel_id = a.channel_id and t.name_key = a.topic_key
      left join (select recipient_id, realm_id, user_ids from made_conversations
                 union all
                 select recipient_id, realm_id, user_ids from direct_conversations) d
        on a.channel_id is null and d.realm_id = a.realm_id and d.user_ids = a.user_ids
  ), placed as materialized (
    select *, '{"id":' || message_id || ',"timestamp":' || floor(extract(epoch from sent_at))::bigint
              || ',"recipient_id":' || place_id || ',"subject":' || to_json(coalesce(topic_name, ''))::text || ','
              as event_head
      from numbered
  ), stored as (
    insert into messages (realm_id, id, recipient_id, channel_id, topic_id, topic_spelling, sender_id, date_sent, client,
                          content, rendered_content, read_by_sender, mentions_channel, has_attachment, has_image, has_link)
    select realm_id, message_id, place_id, channel_id, topic_id, nullif(topic_name, place_name), sender_id, sent_at, client,
           content, rendered_content, read_by_sender, mentions_channel, has_attachment, has_image, has_link
      from placed
  ), flagged as (
    insert into message_flags (realm_id, user_id, message_id, flags)
    select p.realm_id, (f ->> 0)::bigint, p.message_id, (f ->> 1)::integer
      from placed p, json_array_elements(p.flags) f
     where p.flags is not null
  ), recorded as (
    insert into local_sends (queue_id, local_id, realm_id, message_id)
    select p.queue_id, p.local_id, p.realm_id, p.message_id
      from placed p join queues q on q.id = p.queue_id and q.user_id = p.sender_id
     where p.local_id is not null
  ), applied as (
    update idempotent_requests r
       set is_applied = true, message_id = (select p.message_id from placed p where p.claim_id = r.id)
     where r.id = any (array(select p.claim_id from placed p where p.claim_id is not null))
  ), emitted as (
    insert into events (realm_id, seq, type, payload, audience, personal)
    select realm_id, seq, 'message', event_head || substr(payload::text, 2), audience, personal from placed
  ), counted as (
    update realm_counters c
       set last_event = c.last_event + n.total, last_message = c.last_message + n.total
      from (select realm_id, count(*) as total from placed group by realm_id) n
     where c.realm_id = n.realm_id
  )
  select c.ordinal, c.status, coalesce(p.message_id, c.earlier), p.seq, p.topic_id, p.topic_name, p.event_head
    from checked c left join placed p on p.ordinal = c.ordinal
   order by c.ordinal;
end
$function$
;

CREATE OR REPLACE FUNCTION public.trim_edits(history jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(jsonb_agg(entry order by place), '[]')
    from (select entry, place, is_edit,
                 row_number() over (partition by is_edit order by place) as from_first,
                 row_number() over (partition by is_edit order by place desc) as from_last,
                 sum(pg_column_size(entry)) over (partition by is_edit order by place desc) as bytes
            from (select entry, place, entry ? 'prev_content' as is_edit
                    from jsonb_array_elements(history) with ordinality e(entry, place)) e) e
   where not is_edit or from_first = 1 or from_last = 1 or (from_last <= 999 and bytes <= 1000000)
$function$
;

CREATE OR REPLACE FUNCTION jobs.add_job(task text, payload json DEFAULT NULL::json, line text DEFAULT NULL::text, run_at timestamp with time zone DEFAULT NULL::timestamp with time zone, max_attempts integer DEFAULT NULL::integer, job_key text DEFAULT NULL::text)
 RETURNS jobs.jobs
 LANGUAGE plpgsql
AS $function$
declare
  added jobs.jobs;
begin
  insert into jobs.lines (name)
  select add_job.line
   where add_job.line is not null and not exists (select 1 from jobs.lines l where l.name = add_job.line)
      on conflict do nothing;
  update jobs.jobs j set key = null, attempts = j.max_attempts, updated_at = now()
   where j.key = add_job.job_key and not j.is_available;
  perform jobs.notify_added();
  insert into jobs.jobs as j (line_id, task, payload, run_at, max_attempts, key)
  select (select l.id from jobs.lines l where l.name = add_job.line),
         add_job.task, coalesce(add_job.payload, '{}'), coalesce(add_job.run_at, now()),
         coalesce(add_job.max_attempts, 25), add_job.job_key
      on conflict (key) do update
     set line_id = excluded.line_id, task = excluded.task, payload = excluded.payload, run_at = excluded.run_at,
         max_attempts = excluded.max_attempts, attempts = 0, last_error = null, updated_at = now()
   where j.locked_at is null
  returning * into added;
  return added;
end
$function$
;

CREATE OR REPLACE FUNCTION jobs.notify_added()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('jobs:insert', '');
exception when insufficient_privilege or undefined_function or feature_not_supported then
  null;
end
$function$
;
