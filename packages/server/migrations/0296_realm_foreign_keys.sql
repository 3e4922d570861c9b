-- Not validated here: that would block writes to both tables while one of them is read.
do $$
declare
  key record;
begin
  for key in
    select conname, c.relname, quote_ident(a.attname) as local_column, t.relname as target,
           quote_ident(b.attname) as target_column, case confdeltype when 'c' then 'on delete cascade' else '' end as action
      from pg_constraint k
      join pg_class c on c.oid = conrelid
      join pg_class t on t.oid = confrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = conkey[1]
      join pg_attribute b on b.attrelid = t.oid and b.attnum = confkey[1]
     where contype = 'f' and c.relnamespace = 'public'::regnamespace and cardinality(conkey) = 1 and a.attname <> 'realm_id'
     order by c.relname, conname
  loop
    execute format('alter table %I drop constraint %I, add constraint %I foreign key (realm_id, %s) references %I (realm_id, %s) %s not valid',
                   key.relname, key.conname, key.relname || '_realm_id_' || key.local_column || '_fkey',
                   key.local_column, key.target, key.target_column, key.action);
  end loop;
end
$$;
