-- A message keeps 1,000 edits instead of 100; the limit of about 1 MB stays.
create or replace function trim_edits(history jsonb) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_agg(entry order by place), '[]')
    from (select entry, place, is_edit,
                 row_number() over (partition by is_edit order by place) as from_first,
                 row_number() over (partition by is_edit order by place desc) as from_last,
                 sum(pg_column_size(entry)) over (partition by is_edit order by place desc) as bytes
            from (select entry, place, entry ? 'prev_content' as is_edit
                    from jsonb_array_elements(history) with ordinality e(entry, place)) e) e
   where not is_edit or from_first = 1 or from_last = 1 or (from_last <= 999 and bytes <= 1000000)
$$;

create or replace function append_edit(history jsonb, edit jsonb) returns jsonb language plpgsql immutable parallel safe as
$$
begin
  history := coalesce(history, '[]') || edit;
  if jsonb_array_length(history) <= 1100 and pg_column_size(history) <= 900000 then
    return history;
  end if;
  return trim_edits(history);
end
$$;
