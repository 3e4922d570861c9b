-- Counting all edits of a message took longer than storing a new one. So the history is trimmed only when it has become
-- somewhat longer than what is shown; readers trim it too.
create function append_edit(history jsonb, edit jsonb) returns jsonb language plpgsql immutable parallel safe as
$$
begin
  history := coalesce(history, '[]') || edit;
  if jsonb_array_length(history) <= 120 and pg_column_size(history) <= 900000 then
    return history;
  end if;
  return trim_edits(history);
end
$$;
