-- The schema, one section per feature; docs/schema.sql shows it with all later migrations applied.
--
-- Rules for every table:
-- - realm_id is the first column of every key, unless the table is about the whole server.
-- - Names are compared by a folded copy (…_key) that the program computes, because the result must not depend on the
--   collation of the operator's PostgreSQL.

-- Organizations ------------------------------------------------------------------------------------------------------

create table realms (
  id bigint generated always as identity primary key,
  string_id text not null unique,
  host text unique nulls not distinct, -- null: answers on every host that no other realm has
  name text not null,
  description text not null default '',
  rendered_description text not null default '',
  date_created timestamptz not null default now(),
  deactivated boolean not null default false,
  settings jsonb not null default '{}', -- only what differs from the declared defaults
  user_settings_defaults jsonb not null default '{}', -- for new users; only what differs from the declared defaults
  alert_words_version bigint not null default 0 -- grows with every change, so that processes know when to reload them
);

-- One row per realm. Every writing transaction locks it last, so that numbers follow the order of commits.
-- access_version grows with every change that can decide whether a send is allowed; see docs/events.md.
create table realm_counters (
  realm_id bigint primary key references realms,
  last_event bigint not null default 0,
  last_message bigint not null default 0,
  access_version bigint not null default 0,
  trimmed_event bigint not null default 0
) with (fillfactor = 10);

-- Domains that emails of users must have, if the realm restricts them.
create table realm_domains (
  realm_id bigint not null references realms,
  id bigint generated always as identity,
  domain text not null, -- folded
  allow_subdomains boolean not null,
  primary key (realm_id, domain)
);

-- Users --------------------------------------------------------------------------------------------------------------

create table users (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  email text not null, -- the real one, not the one that other users may see
  email_key text not null,
  full_name text not null,
  role smallint not null check (role in (100, 200, 300, 400, 600)),
  is_active boolean not null default true,
  bot_type smallint check (bot_type in (1, 2, 3, 4)), -- null: a person
  bot_owner_id bigint references users,
  is_system_bot boolean not null default false,
  password_hash text,
  api_key_hash bytea not null unique,
  api_key_sealed bytea not null,
  date_joined timestamptz not null default now(),
  timezone text not null default '',
  avatar_source text not null default 'G' check (avatar_source in ('G', 'U')),
  avatar_version integer not null default 1,
  avatar_path text, -- `<realm>/<random key>`: the start of the URL of an uploaded image and of its file names
  settings jsonb not null default '{}', -- only what differs from the declared defaults
  can_create_users boolean not null default false,
  can_change_user_emails boolean not null default false,
  unique (realm_id, email_key),
  constraint users_avatar_uploaded check ((avatar_source = 'U') = (avatar_path is not null))
);
create index on users (realm_id, id);
create index users_by_bot_owner on users (realm_id, bot_owner_id) where bot_owner_id is not null;
create index users_system_bots on users (realm_id) where is_system_bot;
create index users_deactivated on users (realm_id, id) where not is_active;

-- A new email counts once its owner has confirmed it. The confirmation link contains the id, so that a later request
-- invalidates the links of earlier ones.
create table email_changes (
  realm_id bigint not null,
  user_id bigint not null references users,
  id bigint generated always as identity unique,
  new_email text not null,
  requested_at timestamptz not null default now(),
  primary key (realm_id, user_id)
);

create table presence (
  realm_id bigint not null,
  user_id bigint not null references users,
  last_active_time timestamptz,
  last_connected_time timestamptz not null,
  update_id bigint not null, -- the id of the transaction that wrote it; see presence/queries.ts
  primary key (realm_id, user_id)
);
create index on presence (realm_id, update_id);

-- A status without text and emoji has no row.
create table user_statuses (
  realm_id bigint not null,
  user_id bigint not null references users,
  status_text text not null default '',
  emoji_name text not null default '',
  emoji_code text not null default '',
  reaction_type text not null default '',
  primary key (realm_id, user_id)
);

create table muted_users (
  realm_id bigint not null,
  user_id bigint not null references users,
  muted_user_id bigint not null references users,
  date_muted timestamptz not null default now(),
  primary key (realm_id, user_id, muted_user_id)
);
create index on muted_users (realm_id, muted_user_id);

create table alert_words (
  realm_id bigint not null,
  user_id bigint not null references users,
  id bigint generated always as identity,
  word text not null,
  word_key text not null,
  primary key (realm_id, user_id, word_key)
);

create table push_tokens (
  realm_id bigint not null,
  user_id bigint not null references users,
  kind text not null check (kind in ('apns', 'fcm')),
  token text not null,
  app_id text,
  created_at timestamptz not null default now()
);
-- Hashed, because a token can be longer than an index entry.
create unique index on push_tokens (realm_id, user_id, kind, md5(token));

-- Groups and permissions ---------------------------------------------------------------------------------------------

-- A permission is a group: a named one, or an anonymous one for a single setting.
create table user_groups (
  id bigint generated by default as identity primary key,
  realm_id bigint not null references realms,
  name text, -- null: anonymous
  description text not null default '',
  is_system_group boolean not null default false,
  creator_id bigint references users,
  date_created timestamptz,
  deactivated boolean not null default false,
  can_add_members_group bigint not null references user_groups,
  can_join_group bigint not null references user_groups,
  can_leave_group bigint not null references user_groups,
  can_manage_group bigint not null references user_groups,
  can_mention_group bigint not null references user_groups,
  can_remove_members_group bigint not null references user_groups,
  unique (realm_id, name)
);

create table group_members (
  realm_id bigint not null,
  group_id bigint not null references user_groups,
  user_id bigint not null references users,
  primary key (realm_id, group_id, user_id)
);
create index on group_members (realm_id, user_id);

create table group_subgroups (
  realm_id bigint not null,
  group_id bigint not null references user_groups,
  subgroup_id bigint not null references user_groups,
  primary key (realm_id, group_id, subgroup_id)
);
create index on group_subgroups (realm_id, subgroup_id);

create table realm_permissions (
  realm_id bigint not null references realms,
  setting text not null,
  group_id bigint not null references user_groups,
  primary key (realm_id, setting)
);

-- What an organization sets up: profile fields, linkifiers, playgrounds, emoji ---------------------------------------

create table profile_fields (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  hint text not null default '',
  field_type smallint not null check (field_type between 1 and 8),
  field_data text not null default '', -- JSON, or empty
  place integer not null, -- the order in which clients show them
  display_in_profile_summary boolean not null default false,
  required boolean not null default false,
  editable_by_user boolean not null default true,
  unique (realm_id, name)
);

create table profile_values (
  realm_id bigint not null,
  user_id bigint not null references users,
  field_id bigint not null references profile_fields on delete cascade,
  value text not null,
  rendered_value text, -- null: the values of this field contain no markup
  primary key (realm_id, user_id, field_id)
);
create index on profile_values (field_id);

create table linkifiers (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  pattern text not null,
  url_template text not null,
  example_input text, -- a text that the pattern matches, for administrators who edit it
  place integer not null, -- where two match, the earlier one applies
  unique (realm_id, pattern)
);

create table playgrounds (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  pygments_language text not null,
  url_template text not null,
  unique (realm_id, pygments_language, name)
);

-- The image is in the file store; a row is written after its file.
create table realm_emoji (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  author_id bigint references users,
  file_name text not null,
  still_file_name text, -- the first frame of an animation
  deactivated boolean not null default false,
  created_at timestamptz not null default now()
);
create index on realm_emoji (realm_id, id);
-- The name of a deactivated emoji can be used again; reactions and messages refer to the old one by id or file.
create unique index realm_emoji_in_use on realm_emoji (realm_id, name) where not deactivated;

-- Channels and subscriptions -----------------------------------------------------------------------------------------

-- Channels and direct conversations take their recipient ids from one sequence.
create sequence recipient_ids;

create table channel_folders (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  name text not null,
  name_key text not null,
  description text not null default '',
  rendered_description text not null default '',
  place integer not null, -- the order in which clients show them
  creator_id bigint references users,
  date_created timestamptz not null default now(),
  is_archived boolean not null default false
);
create unique index on channel_folders (realm_id, name_key) where not is_archived;
create index on channel_folders (realm_id, place);

create table channels (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  recipient_id bigint not null unique default nextval('recipient_ids'),
  folder_id bigint references channel_folders,
  name text not null,
  name_key text not null,
  description text not null default '',
  rendered_description text not null default '',
  date_created timestamptz not null default now(),
  creator_id bigint references users,
  invite_only boolean not null default false,
  is_web_public boolean not null default false,
  history_public_to_subscribers boolean not null default true,
  is_archived boolean not null default false,
  message_retention_days integer, -- null: as the realm; -1: forever
  weekly_traffic integer, -- null: the channel is too new; refreshed by a job
  can_add_subscribers_group bigint not null references user_groups,
  can_administer_channel_group bigint not null references user_groups,
  can_remove_subscribers_group bigint not null references user_groups,
  can_send_message_group bigint not null references user_groups,
  can_subscribe_group bigint not null references user_groups,
  unique (realm_id, name_key),
  check (not (invite_only and is_web_public)),
  check (invite_only or history_public_to_subscribers)
);
create index on channels (folder_id) where folder_id is not null;

create table default_channels (
  realm_id bigint not null,
  channel_id bigint not null references channels,
  primary key (realm_id, channel_id)
);

-- What a user keeps when they unsubscribe and subscribe again. Everything up to read_floor is read.
create table subscriptions (
  realm_id bigint not null,
  user_id bigint not null references users,
  channel_id bigint not null references channels,
  is_active boolean not null,
  color text not null,
  is_muted boolean not null default false,
  pin_to_top boolean not null default false,
  desktop_notifications boolean,
  audible_notifications boolean,
  push_notifications boolean,
  email_notifications boolean,
  wildcard_mentions_notify boolean,
  read_floor bigint not null default 0,
  primary key (realm_id, user_id, channel_id)
);
-- Lists of subscribers are ascending by user id and come from the index alone.
create index subscriptions_by_channel on subscriptions (realm_id, channel_id, user_id) where is_active;

-- When a user was subscribed, in event order and in message order: (from, to]. Determines who received a message and
-- who receives an event, also for clients that poll late.
create table subscription_periods (
  realm_id bigint not null,
  user_id bigint not null references users,
  channel_id bigint not null references channels,
  from_event bigint not null,
  from_message bigint not null,
  to_event bigint,
  to_message bigint,
  primary key (realm_id, user_id, channel_id, from_event)
);
create index subscription_periods_by_channel on subscription_periods (realm_id, channel_id);

-- Direct conversations and topics ------------------------------------------------------------------------------------

-- Both are created by the first message. They are inserted only while the realm's counter is locked: earlier, two
-- transactions could each wait for the unique key and the counter of the other.
create table direct_conversations (
  recipient_id bigint primary key default nextval('recipient_ids'),
  realm_id bigint not null references realms,
  user_ids bigint[] not null, -- all participants, ascending
  unique (realm_id, user_ids)
);

create table direct_participants (
  realm_id bigint not null,
  user_id bigint not null references users,
  recipient_id bigint not null references direct_conversations,
  read_floor bigint not null default 0,
  primary key (realm_id, user_id, recipient_id)
);

create table topics (
  id bigint generated always as identity primary key,
  realm_id bigint not null,
  channel_id bigint not null references channels,
  name text not null,
  name_key text not null, -- in lower case, as clients compare topics; m² is not m2
  unique (realm_id, channel_id, name_key)
);

create table user_topics (
  realm_id bigint not null,
  user_id bigint not null references users,
  topic_id bigint not null references topics on delete cascade,
  visibility_policy smallint not null check (visibility_policy in (1, 2, 3)),
  spelling text, -- the topic as the user wrote it, which events and state repeat; null: the topic's own name
  last_updated timestamptz not null default now(),
  primary key (realm_id, user_id, topic_id)
);
create index user_topics_by_topic on user_topics (realm_id, topic_id);

-- Messages -----------------------------------------------------------------------------------------------------------

-- No foreign keys to channel, topic and sender: each send would lock these hot rows once more.
create table messages (
  realm_id bigint not null,
  id bigint not null, -- numbered per realm, in commit order
  recipient_id bigint not null,
  channel_id bigint, -- null: a direct message
  topic_id bigint,
  topic_since bigint not null default 0, -- the number of the edit that moved it to its topic
  sender_id bigint not null,
  date_sent timestamptz not null,
  client text not null,
  content text not null,
  rendered_content text not null,
  read_by_sender boolean not null default false,
  mentions_channel boolean not null default false, -- a wildcard mention of all subscribers
  has_attachment boolean not null default false,
  has_image boolean not null default false,
  has_link boolean not null default false,
  edit_history jsonb,
  primary key (realm_id, id)
);
-- Includes all columns that decide whether a message is unread, so that counting never visits the table.
create index messages_by_recipient on messages (realm_id, recipient_id, id)
  include (topic_id, sender_id, read_by_sender, mentions_channel);
create index messages_by_topic on messages (realm_id, topic_id, id) where topic_id is not null;
create index messages_by_sender on messages (realm_id, sender_id, id);
create index messages_to_everybody on messages (realm_id, id) where mentions_channel;

-- Personal state is sparse: a row exists only where a flag is set. messages/model/flag-bits.ts has the bits.
create table message_flags (
  realm_id bigint not null,
  user_id bigint not null references users,
  message_id bigint not null,
  flags integer not null,
  primary key (realm_id, user_id, message_id),
  foreign key (realm_id, message_id) references messages on delete cascade
);
create index message_flags_by_message on message_flags (realm_id, message_id);
create index message_flags_unread on message_flags (realm_id, user_id, message_id) where flags & 2 <> 0;
create index message_flags_starred on message_flags (realm_id, user_id, message_id) where flags & 4 <> 0;
create index message_flags_historical on message_flags (realm_id, user_id, message_id) where flags & 128 <> 0;

create table reactions (
  realm_id bigint not null,
  message_id bigint not null,
  user_id bigint not null references users,
  reaction_type text not null,
  emoji_code text not null,
  emoji_name text not null,
  created_at timestamptz not null default now(),
  primary key (realm_id, message_id, user_id, reaction_type, emoji_code),
  foreign key (realm_id, message_id) references messages on delete cascade
);

create table submessages (
  id bigint generated always as identity primary key,
  realm_id bigint not null,
  message_id bigint not null,
  sender_id bigint not null references users,
  msg_type text not null,
  content text not null,
  foreign key (realm_id, message_id) references messages on delete cascade
);
create index on submessages (realm_id, message_id, id);

-- Edit history -------------------------------------------------------------------------------------------------------

-- Numbers every edit, so that entries of a message and of its topic can be ordered.
create sequence edit_numbers;

-- A rename changes all messages of a topic, but is stored once. An entry applies to the messages that were in the topic
-- then: those up to up_to_message that were not moved into it later (messages.topic_since).
create table topic_history (
  realm_id bigint not null,
  topic_id bigint not null references topics on delete cascade,
  number bigint not null,
  up_to_message bigint not null,
  entry jsonb not null, -- in the form of the API, like those in messages.edit_history
  primary key (realm_id, topic_id, number)
);

-- Every edit rewrites the whole history of the message, and every fetch reads it, so it must not grow without limit.
-- Keeps the first edit, which has the original text, and of the others the newest 99 and at most 1 MB. Moves are small
-- and all kept.
create function trim_edits(history jsonb) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_agg(entry order by place), '[]')
    from (select entry, place, is_edit,
                 row_number() over (partition by is_edit order by place) as from_first,
                 row_number() over (partition by is_edit order by place desc) as from_last,
                 sum(pg_column_size(entry)) over (partition by is_edit order by place desc) as bytes
            from (select entry, place, entry ? 'prev_content' as is_edit
                    from jsonb_array_elements(history) with ordinality e(entry, place)) e) e
   where not is_edit or from_first = 1 or from_last = 1 or (from_last <= 99 and bytes <= 1000000)
$$;

-- Notices that a topic was resolved or unresolved. A notice is deleted if the opposite step follows at once, so it
-- records which step it announced.
create table resolve_notices (
  realm_id bigint not null,
  message_id bigint not null,
  resolved boolean not null,
  primary key (realm_id, message_id),
  foreign key (realm_id, message_id) references messages on delete cascade
);

-- Search -------------------------------------------------------------------------------------------------------------

-- Finds words and parts of words (trigrams). Trigrams need three characters, but in scripts without spaces one or two
-- can be a whole word: these have an index of grams, which are single characters and pairs. See docs/search.md.
create extension if not exists pg_trgm;

-- Thai to Burmese, Hangul, Khmer; from arrows and symbols on Chinese, Japanese and Korean; wide forms; emoji.
create function has_grams(text) returns boolean language sql immutable strict parallel safe
return $1 ~ '[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\ud7ff\uf900-\ufdff\ufe30-\uffff\U00010000-\U0010ffff]';

-- Splits into letters, because substr() counts from the start of the text each time and would take quadratic time.
create function search_grams(text) returns text[] language sql immutable strict parallel safe
return (
  select array_agg(distinct gram)
    from (select letter, letter || lead(letter) over (partition by run order by place) as pair
            from regexp_matches(lower($1), '[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\ud7ff\uf900-\ufdff\ufe30-\uffff\U00010000-\U0010ffff]+', 'g') with ordinality r(found, run),
                 string_to_table(found[1], null) with ordinality l(letter, place)) letters,
         lateral (values (letter), (pair)) grams(gram)
   where gram is not null
);

create index messages_by_word on messages using gin (to_tsvector('english', content));
create index messages_by_part on messages using gin (content gin_trgm_ops);
create index messages_by_gram on messages using gin (search_grams(content)) where has_grams(content);
create index topics_by_word on topics using gin (to_tsvector('english', name));
create index topics_by_part on topics using gin (name gin_trgm_ops);
create index topics_by_gram on topics using gin (search_grams(name)) where has_grams(name);

-- Snippets, drafts and scheduled messages ----------------------------------------------------------------------------

create table saved_snippets (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  title text not null,
  content text not null,
  date_created timestamptz not null default now()
);
create index on saved_snippets (realm_id, user_id, id);

create table drafts (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  type text not null check (type in ('', 'private', 'stream')),
  recipients bigint[] not null, -- a channel, or users
  topic text not null,
  content text not null,
  last_edited timestamptz not null
);
create index on drafts (realm_id, user_id, last_edited);

create table scheduled_messages (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  type text not null check (type in ('private', 'stream')),
  recipients bigint[] not null, -- a channel, or users
  topic text, -- null: a direct message
  content text not null,
  rendered_content text not null,
  delivery_time timestamptz not null,
  read_by_sender boolean not null,
  client text not null,
  failed boolean not null default false
);
create index on scheduled_messages (realm_id, user_id, delivery_time);
create index scheduled_messages_due on scheduled_messages (delivery_time) where not failed;

-- Scheduled messages that were sent recently: deleting one of them succeeds, because nothing is left to delete.
create table delivered_scheduled_messages (
  id bigint primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  delivered_at timestamptz not null default now()
);

-- Uploads and exports ------------------------------------------------------------------------------------------------

-- The files are in the file store; a row is written after its file.
create table attachments (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  owner_id bigint not null references users,
  name text not null, -- as the uploader named it
  path_id text not null,
  content_type text not null,
  size bigint not null,
  width integer, -- both null: not an image that can be shown
  height integer,
  thumbnails text[], -- the formats that exist; null: none yet
  is_claimed boolean not null default false, -- a message has linked to it at some time
  create_time timestamptz not null default now(),
  unique (realm_id, path_id)
);
create index on attachments (realm_id, owner_id, id);
-- For the job that removes uploads that no message used.
create index attachments_unclaimed on attachments (create_time) where not is_claimed;

-- Which messages link to which file: users who may read one of them may read the file.
create table attachment_messages (
  realm_id bigint not null,
  attachment_id bigint not null references attachments on delete cascade,
  message_id bigint not null,
  primary key (realm_id, attachment_id, message_id),
  foreign key (realm_id, message_id) references messages on delete cascade
);
create index on attachment_messages (realm_id, message_id);

-- Pending until succeeded or failed. The file is deleted after some days; the row stays.
create table realm_exports (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  acting_user_id bigint not null references users,
  export_type smallint not null check (export_type in (1, 2)), -- public, standard
  base_url text not null, -- of the realm, as the request that started the export used it
  requested_at timestamptz not null default now(),
  attempts integer not null default 0,
  path text, -- in the file store; null until it has succeeded
  succeeded_at timestamptz,
  failed_at timestamptz,
  deleted_at timestamptz
);
create index on realm_exports (realm_id, id);
create index realm_exports_pending on realm_exports (id) where succeeded_at is null and failed_at is null;

-- Bots and outgoing webhooks -----------------------------------------------------------------------------------------

-- A bot is a user; this is what only bots have.
create table bots (
  realm_id bigint not null,
  user_id bigint not null references users,
  default_sending_channel_id bigint references channels,
  default_events_channel_id bigint references channels,
  default_all_public_streams boolean not null default false,
  config_data jsonb not null default '{}',
  primary key (realm_id, user_id)
);

-- Where messages to an outgoing-webhook bot are delivered. Both secrets are sealed like API keys.
create table bot_services (
  realm_id bigint not null,
  bot_id bigint not null references users,
  base_url text not null,
  interface smallint not null check (interface in (1, 2)), -- 1: our own, 2: like Slack's
  token_sealed bytea not null, -- sent in every request
  secret_sealed bytea not null, -- signs every request
  primary key (realm_id, bot_id)
);

create table bot_storage (
  realm_id bigint not null,
  bot_id bigint not null references users,
  key text not null,
  value text not null
);
-- Hashed, because a key can be longer than an index entry.
create unique index on bot_storage (realm_id, bot_id, md5(key));

-- A row is written with the message that causes it. A process that takes it sets due_at to the time after which another
-- process may take it over.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  bot_id bigint not null references users,
  message_id bigint not null,
  trigger text not null check (trigger in ('mention', 'direct_message')),
  status text not null default 'waiting' check (status in ('waiting', 'sending', 'delivered', 'failed', 'cancelled')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  finished_at timestamptz,
  duration_ms integer, -- of the last attempt
  response_status integer,
  error text
);
create index on webhook_deliveries (realm_id, bot_id, id);
create index webhook_deliveries_open on webhook_deliveries (due_at) where status in ('waiting', 'sending');

-- Events and event queues --------------------------------------------------------------------------------------------

-- payload: the event as JSON text. audience: the rule for who receives it. personal: the flags of users who have any.
-- internal: what the processes that follow the log must know (subscriptions, deleted queues).
create table events (
  realm_id bigint not null,
  seq bigint not null,
  type text not null,
  payload text not null,
  audience jsonb not null,
  personal jsonb,
  internal jsonb,
  created_at timestamptz not null default now(),
  primary key (realm_id, seq)
);
-- The role that a user had then decides who receives an event, so the few events that changed a role are looked up.
create index events_former_roles on events (realm_id, seq) where internal ? 'former_roles';

create table queues (
  id text primary key,
  realm_id bigint not null references realms,
  user_id bigint not null references users,
  start_event bigint not null,
  acknowledged_event bigint not null, -- may lag: what the client sends with its poll counts
  lifetime_seconds integer not null,
  last_seen timestamptz not null default now(),
  options jsonb not null
);
create index on queues (realm_id, user_id);

-- A send repeated with the same queue and local id is the same send.
create table local_sends (
  queue_id text not null references queues on delete cascade,
  local_id text not null,
  realm_id bigint not null,
  message_id bigint not null,
  primary key (queue_id, local_id)
);

-- Sending ------------------------------------------------------------------------------------------------------------

-- Writes a batch of messages with their events in one statement: new topics and conversations, messages, flags, events,
-- counters. Locks the realms in the order of their ids and only then assigns message ids and event numbers: both must
-- follow the order of commits.
--
-- realm_ids are the realms of the batch; batch is an array in the shape of the recordset below. A message with an
-- access_version is stored only if the realm still has that version, that is, if nothing that decides about its
-- permission has changed since the check; the caller checks the others again and retries. A message with a queue_id and
-- local_id that were used before is not stored a second time. event_head is the beginning of the event's JSON, with the
-- fields that only the database knows; it is built here only.
create function send_messages(realm_ids bigint[], batch json)
returns table (ordinal integer, status text, message_id bigint, seq bigint, topic_id bigint, topic_name text,
               event_head text)
language plpgsql
as $$
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
      payload json, audience jsonb, personal jsonb, flags json)
  ), checked as materialized (
    select i.*, c.last_event, c.last_message,
           case when i.earlier is not null then 'repeated'
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
              || ',"recipient_id":' || place_id || ',"subject":' || to_json(coalesce(place_name, ''))::text || ','
              as event_head
      from numbered
  ), stored as (
    insert into messages (realm_id, id, recipient_id, channel_id, topic_id, sender_id, date_sent, client, content,
                          rendered_content, read_by_sender, mentions_channel, has_attachment, has_image, has_link)
    select realm_id, message_id, place_id, channel_id, topic_id, sender_id, sent_at, client, content,
           rendered_content, read_by_sender, mentions_channel, has_attachment, has_image, has_link
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
  ), emitted as (
    insert into events (realm_id, seq, type, payload, audience, personal)
    select realm_id, seq, 'message', event_head || substr(payload::text, 2), audience, personal from placed
  ), counted as (
    update realm_counters c
       set last_event = c.last_event + n.total, last_message = c.last_message + n.total
      from (select realm_id, count(*) as total from placed group by realm_id) n
     where c.realm_id = n.realm_id
  )
  select c.ordinal, c.status, coalesce(p.message_id, c.earlier), p.seq, p.topic_id, p.place_name, p.event_head
    from checked c left join placed p on p.ordinal = c.ordinal
   order by c.ordinal;
end
$$;

-- The server: audit log, sign-in limits, processes -------------------------------------------------------------------

-- The serving role may insert here, but not update or delete (platform/db/server-role.ts).
create table audit_log (
  id bigint generated always as identity primary key,
  realm_id bigint not null references realms,
  acting_user_id bigint references users,
  action text not null,
  target jsonb not null default '{}',
  created_at timestamptz not null default now()
);
create index on audit_log (realm_id, id);

create table login_failures (
  key text primary key,
  failures integer not null,
  window_start timestamptz not null
);

-- Request allowances, shared by all processes: each counts by itself and adds its counts here every second.
-- Unlogged: after a crash every allowance is full, which does no harm.
create unlogged table rate_limits (
  key text primary key,
  allowance double precision not null, -- requests per minute
  tokens double precision not null, -- left at updated_at; negative if the processes together allowed too many
  updated_at timestamptz not null
) with (fillfactor = 50); -- room for updates in place

-- Processes on this database. Each sends a heartbeat every few seconds; the others take over the jobs of dead ones.
create table processes (
  id uuid primary key,
  serves boolean not null, -- serves clients; a worker does not
  job_pools text[] not null, -- the names under which it locks jobs
  since timestamptz not null default now(), -- it has sent heartbeats without a gap since then
  seen_at timestamptz not null default now()
);

-- A single row. A generation begins when a server starts and no other server of its version is running. Clients get it,
-- because their server may have changed since they registered.
create table server_generation (
  only_row boolean primary key default true check (only_row),
  version text not null, -- of the API
  generation bigint not null -- when it began, in seconds
);
insert into server_generation (version, generation) values ('', extract(epoch from now())::bigint);

-- Emails of the demo, which sends none.
create table caught_mail (
  id bigint generated always as identity primary key,
  caught_at timestamptz not null default now(),
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null
);

-- Background jobs; see docs/jobs.md ----------------------------------------------------------------------------------

create schema jobs;

-- Jobs of one line run one after another.
create table jobs.lines (
  id integer generated always as identity primary key,
  name text not null unique check (length(name) <= 128),
  locked_at timestamptz,
  locked_by text,
  is_available boolean not null generated always as (locked_at is null) stored
);

create table jobs.jobs (
  id bigint generated always as identity primary key,
  task text not null check (length(task) <= 128),
  payload json not null default '{}',
  line_id integer, -- null: may run at any time
  key text unique check (length(key) between 1 and 512),
  run_at timestamptz not null default now(),
  attempts smallint not null default 0,
  max_attempts smallint not null default 25 check (max_attempts >= 1),
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  locked_at timestamptz,
  locked_by text,
  is_available boolean not null generated always as (locked_at is null and attempts < max_attempts) stored
);
create index jobs_available on jobs.jobs (run_at) include (id, task, line_id) where is_available;

-- The last minute in which a recurring task was added, so that it is added once by all processes together.
create table jobs.schedules (
  task text primary key,
  last_run timestamptz not null
);

-- Of jobs with the same key only the newest runs. One that has already started finishes, but is not retried.
create function jobs.add_job(
  task text, payload json default null, line text default null, run_at timestamptz default null,
  max_attempts integer default null, job_key text default null
) returns jobs.jobs language plpgsql as $$
declare
  added jobs.jobs;
begin
  insert into jobs.lines (name)
  select add_job.line
   where add_job.line is not null and not exists (select 1 from jobs.lines l where l.name = add_job.line)
      on conflict do nothing;
  update jobs.jobs j set key = null, attempts = j.max_attempts, updated_at = now()
   where j.key = add_job.job_key and not j.is_available;
  perform pg_notify('jobs:insert', '');
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
$$;
