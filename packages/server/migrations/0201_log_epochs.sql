-- The database can go back in time: a backup is restored, or a standby that lags behind takes over. Clients may then have
-- seen events that no longer exist. Each possible occasion begins a new epoch of the log, which starts with a gap in the
-- event numbers. The first poll of a queue in a new epoch proves that its client has seen no event that was lost.
alter table realm_counters add column epoch bigint not null default 0;
alter table queues add column epoch bigint; -- null: registered by an older version

create table log_epochs (
  realm_id bigint not null,
  epoch bigint not null,
  after_event bigint not null, -- the last event of the epoch before, as far as it exists
  begun_at timestamptz not null default now(),
  primary key (realm_id, epoch)
);

-- A single row: which copy of the database the log was last written in; null if not known yet.
create table log_history (
  only_row boolean primary key default true check (only_row),
  fingerprint text, -- changes with a failover, and in a restored or copied database
  data_folder text -- changes if the folder of the embedded database was copied
);
insert into log_history default values;

-- Event numbers, message ids and access versions jump, so that none that was lost is ever used again.
create function begin_epoch(realm_ids bigint[], jump bigint, least_epoch bigint default 0, least_event bigint default 0)
returns void language plpgsql as $$
begin
  perform 1 from realm_counters where realm_id = any (realm_ids) order by realm_id for update;
  insert into log_epochs (realm_id, epoch, after_event)
  select realm_id, greatest(epoch, least_epoch) + 1, last_event from realm_counters where realm_id = any (realm_ids);
  update realm_counters
     set epoch = greatest(epoch, least_epoch) + 1, last_event = greatest(last_event, least_event) + jump,
         last_message = last_message + jump - 1, access_version = access_version + jump
   where realm_id = any (realm_ids);
end
$$;

-- Begins a new epoch in all realms if this is another copy of the database than the one that was written last.
create function check_history() returns void language plpgsql as $$
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
$$;

-- The same for a data folder that was copied, which PostgreSQL does not notice.
create function check_data_folder(present text) returns void language plpgsql as $$
declare
  stored text;
begin
  select data_folder into stored from log_history for update;
  if stored = present then return; end if;
  update log_history set data_folder = present;
  if stored is not null then perform begin_epoch(array(select realm_id from realm_counters), 1000000); end if;
end
$$;
