-- Fields for accounts at well-known sites have the names and hints of Zulip.
with preset as (
  select realm_id, id, name, field_data::jsonb ->> 'subtype' as subtype
    from profile_fields
   where field_type = 7
), renamed as (
  select realm_id, id, name as old_name,
         case subtype when 'mastodon' then 'The full URL to your profile' else '' end as hint,
         name || ' ' || case subtype
           when 'atlassian' then 'account ID'
           when 'bluesky' then 'handle'
           when 'discord' then 'tag'
           when 'linkedin' then 'profile name'
           when 'mastodon' then 'profile'
           when 'youtube' then 'handle'
           else 'username'
         end as name
    from preset
   where subtype <> 'custom'
)
update profile_fields f
   set hint = r.hint,
       name = case when exists (select from profile_fields o where o.realm_id = r.realm_id and o.name = r.name)
                   then r.old_name else r.name end
  from renamed r
 where f.realm_id = r.realm_id and f.id = r.id;

-- The URL pattern of YouTube no longer contains the @ of a handle.
update profile_values v
   set value = '@' || v.value
  from profile_fields f
 where f.realm_id = v.realm_id and f.id = v.field_id and f.field_type = 7
   and f.field_data::jsonb ->> 'subtype' = 'youtube' and v.value not like '@%';
