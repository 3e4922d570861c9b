-- Every edit rewrites the whole history of the message, and every listing reads it, so it must not grow without limit.
-- Kept are the first edit, which holds the original text, and of the others the newest 99 and no more than 1 MB.
-- Moves are small and all kept.
create function trim_edits(history jsonb) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_agg(entry order by place), '[]')
    from (select entry, place, is_edit,
                 row_number() over (partition by is_edit order by place) as from_first,
                 row_number() over (partition by is_edit order by place desc) as from_last,
                 sum(pg_column_size(entry)) over (partition by is_edit order by place desc) as bytes
            from (select entry, place, entry ? 'prev_content' as is_edit
                    from jsonb_array_elements(history) with ordinality e(entry, place)) e) e
   where not is_edit or from_first = 1 or from_last = 1 or (from_last <= 99 and bytes <= 1000000)
$$;
