-- Emails are compared in lower case only. Keys were also folded with NFKC, so that ｏwner@example.com (U+FF4F) counted as
-- owner@example.com. Keys become less alike, so no two of them can collide. Four symbols keep their case, because it is that
-- of a letter in lower case (U+03F4, U+2126, U+212A, U+212B).
create function lower_email(email text) returns text language sql as $$
  select coalesce(string_agg(case when one in (U&'\03F4', U&'\2126', U&'\212A', U&'\212B') then one else lower(one) end,
                             '' order by position), '')
    from regexp_split_to_table(email, '') with ordinality as characters (one, position)
$$;

-- Only these were changed by NFKC; all others have the right key already.
update users set email_key = lower_email(email) where email is not nfkc normalized;
update invitations set email_key = lower_email(email) where email is not nfkc normalized;
update provisioned_users set user_name_key = lower_email(user_name) where user_name is not nfkc normalized;

drop function lower_email;
