-- Each message keeps the spelling of its topic. Most are spelled as the topic is named, and store nothing.
alter table messages add column topic_spelling text;
create index messages_with_spelling on messages (realm_id, id) where topic_spelling is not null;

-- As before, except that the event has the topic as the sender spelled it, and the message stores it.
create or replace function send_messages(realm_ids bigint[], batch json)
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
$$;

-- Policies keep the spelling of their user, also those that were moved with their topic.
update user_topics v set spelling = t.name from topics t
 where v.spelling is null and t.realm_id = v.realm_id and t.id = v.topic_id;

-- Resolving part of a topic may be a large move, too.
alter table message_moves add column resolving boolean not null default false;
-- Whether the user could read messages of the target topic before the move; null: the previous release stored the move.
alter table message_moves add column knows_target boolean;
