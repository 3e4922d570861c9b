-- The last event after which users, channels, groups or settings may differ, so that what register returns to everyone can
-- be cached. A trigger, so that the previous release maintains it too while it still runs. Forgetting a type here only
-- means that more is loaded again.
alter table realm_counters add column state_event bigint not null default 0;

create function note_state_event() returns trigger language plpgsql as $$
begin
  -- The counter already counts all events of the statement, so only the first of them changes it.
  update realm_counters set state_event = greatest(last_event, new.seq)
   where realm_id = new.realm_id and state_event < new.seq;
  return null;
end
$$;

create trigger note_state_event after insert on events for each row
  when (new.internal ? 'access'
        or new.type = 'internal' and not new.internal ? 'ended_queues'
        or new.type not in ('internal', 'message', 'update_message', 'delete_message', 'update_message_flags', 'reaction',
                            'submessage', 'typing', 'typing_edit_message', 'presence', 'user_status', 'user_topic',
                            'muted_topics', 'drafts', 'scheduled_messages', 'saved_snippets', 'alert_words', 'attachment'))
  execute function note_state_event();
