-- The audit log says from where a user acted and what was before and after. Its rows form a chain per realm: each contains
-- the hash of the one before, so that a row that was changed, inserted or removed is found.
alter table audit_log
  add column number bigint,
  add column via text not null default 'server' check (via in ('session', 'token', 'key', 'request', 'command', 'server')),
  add column credential_id bigint, -- of the session or token; the row of `credentials` may be gone
  add column ip_address text,
  add column before jsonb,
  add column after jsonb,
  add column hash bytea;

-- The end of each realm's chain. Only the trigger below writes here.
create table audit_chains (
  realm_id bigint primary key references realms,
  number bigint not null,
  hash bytea not null
);

create function audit_hash(previous bytea, r audit_log) returns bytea
language sql immutable
as $$
  select sha256(previous || convert_to(jsonb_build_array(
    r.realm_id, r.number, r.acting_user_id, r.action, r.target, r.before, r.after, r.via, r.credential_id, r.ip_address,
    (extract(epoch from r.created_at) * 1000000)::bigint)::text, 'UTF8'))
$$;

-- With the rights of the owner: the serving role may not write to audit_chains.
create function chain_audit_row() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  previous bytea;
begin
  insert into audit_chains (realm_id, number, hash) values (new.realm_id, 0, '') on conflict do nothing;
  select c.number + 1, c.hash into new.number, previous from audit_chains c where c.realm_id = new.realm_id for update;
  new.created_at := clock_timestamp();
  new.hash := audit_hash(previous, new);
  update audit_chains set number = new.number, hash = new.hash where realm_id = new.realm_id;
  return new;
end
$$;

do $$
declare
  r audit_log;
  chained audit_chains;
begin
  for r in select * from audit_log order by realm_id, id loop
    select * into chained from audit_chains where realm_id = r.realm_id;
    r.number := coalesce(chained.number, 0) + 1;
    r.hash := audit_hash(coalesce(chained.hash, ''), r);
    update audit_log set number = r.number, hash = r.hash where id = r.id;
    insert into audit_chains (realm_id, number, hash) values (r.realm_id, r.number, r.hash)
        on conflict (realm_id) do update set number = excluded.number, hash = excluded.hash;
  end loop;
end
$$;

create trigger chain_audit_row before insert on audit_log for each row execute function chain_audit_row();

-- The trigger replaces the defaults.
alter table audit_log
  alter column number set not null, alter column number set default 0,
  alter column hash set not null, alter column hash set default '';
create unique index on audit_log (realm_id, number);
create index on audit_log (realm_id, acting_user_id, number);
create index on audit_log (realm_id, action, number);
