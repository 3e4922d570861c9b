-- realm_id is to lead every primary and foreign key, so that one realm can be replicated to another cluster: a row filter
-- may only use columns of the primary key. The steps are separate transactions, so that the previous release can keep
-- working: unique indexes (writes wait while they are built), foreign keys, their validation, primary keys.
-- Lookups by id alone keep an index.
do $$
declare
  key record;
begin
  for key in
    select c.relname, string_agg(quote_ident(attname), ', ' order by place) as columns
      from pg_constraint k
      join pg_class c on c.oid = conrelid
      cross join unnest(conkey) with ordinality as part(attnum, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = part.attnum
     where contype = 'p' and relnamespace = 'public'::regnamespace
       and exists (select from pg_attribute r where r.attrelid = c.oid and r.attname = 'realm_id' and r.attnum <> conkey[1])
     group by c.relname
  loop
    execute format('create unique index %I on %I (realm_id, %s)', key.relname || '_realm_key', key.relname, key.columns);
    if key.relname <> 'local_sends' then -- written with every send, and always looked up with its realm
      execute format('create unique index %I on %I (%s)', key.relname || '_id_key', key.relname, key.columns);
    end if;
  end loop;
end
$$;
drop index users_realm_id_id_idx; -- the unique one replaces it
