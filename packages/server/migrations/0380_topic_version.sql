-- Counts changes of the names and channels of topics, so that registrations can cache them. A trigger, so that the
-- previous release counts too while it still runs. Topics are renamed with the counter locked.
alter table realm_counters add column topic_version bigint not null default 0;

create function note_topic_change() returns trigger language plpgsql as $$
begin
  update realm_counters set topic_version = topic_version + 1 where realm_id = new.realm_id;
  return null;
end
$$;

create trigger note_topic_change after update on topics for each row
  when (old.name is distinct from new.name or old.channel_id is distinct from new.channel_id)
  execute function note_topic_change();
