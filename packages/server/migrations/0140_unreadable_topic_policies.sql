-- The server deletes policies when a user loses access. These stayed when access through a group ended, and would show
-- the user later names of the topics.
delete from user_topics v using topics t, channels c, users u
 where t.realm_id = v.realm_id and t.id = v.topic_id and c.realm_id = t.realm_id and c.id = t.channel_id
   and u.realm_id = v.realm_id and u.id = v.user_id
   and not c.is_web_public and (c.invite_only or u.role = 600)
   and not exists (select 1 from subscriptions s
                    where s.realm_id = c.realm_id and s.user_id = u.id and s.channel_id = c.id and s.is_active)
   and (u.role = 600 or not exists (
     with recursive above as (
       select group_id from group_members where realm_id = u.realm_id and user_id = u.id
       union
       select s.group_id from group_subgroups s join above on s.subgroup_id = above.group_id where s.realm_id = u.realm_id
     ) select 1 from above where group_id in (c.can_subscribe_group, c.can_add_subscribers_group)));
