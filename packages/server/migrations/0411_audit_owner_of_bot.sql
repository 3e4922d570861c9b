-- The audit log names the person behind a bot: its owner when it acted.
alter table audit_log add column actor_owner_id bigint;

-- Rows without such a person keep their hash.
create or replace function audit_hash(previous bytea, r audit_log) returns bytea
language sql immutable
as $$
  select sha256(previous || convert_to((jsonb_build_array(
    r.realm_id, r.number, r.acting_user_id, r.action, r.target, r.before, r.after, r.via, r.credential_id, r.ip_address,
    (extract(epoch from r.created_at) * 1000000)::bigint)
    || case when r.actor_owner_id is null then '[]' else jsonb_build_array(r.actor_owner_id) end)::text, 'UTF8'))
$$;

create or replace function chain_audit_row() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
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
$$;
