-- `group by` with other columns of the table now needs realm_id as well. No released version relies on the old keys.
do $$
declare
  key record;
begin
  for key in
    select c.relname, k.conname
      from pg_constraint k
      join pg_class c on c.oid = conrelid
     where contype = 'p' and relnamespace = 'public'::regnamespace
       and exists (select from pg_attribute r where r.attrelid = c.oid and r.attname = 'realm_id' and r.attnum <> conkey[1])
     order by c.relname
  loop
    execute format('alter table %I drop constraint %I, add constraint %I primary key using index %I',
                   key.relname, key.conname, key.conname, key.relname || '_realm_key');
  end loop;
end
$$;
