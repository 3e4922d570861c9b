do $$
declare
  key record;
begin
  for key in select conname, conrelid::regclass as relation from pg_constraint where contype = 'f' and not convalidated loop
    execute format('alter table %s validate constraint %I', key.relation, key.conname);
  end loop;
end
$$;
