-- The role of a bot is never above the role of its owner. The server lowers it with the events that this causes; this
-- trigger covers every other way in which a role or an owner changes.
create function lower_roles_of_bots() returns trigger
language plpgsql
as $$
declare
  bot record;
begin
  for bot in
    select b.id, o.role, case o.role
             when 200 then '{role:administrators}' when 300 then '{role:moderators}' when 600 then '{role:everyone}'
             else case when extract(epoch from now() - b.date_joined)
                              >= coalesce((r.settings ->> 'waiting_period_threshold')::bigint, 0) * 86400
                  then '{role:members,role:fullmembers}' else '{role:members}' end
           end::text[] as groups
      from users b
      join users o on o.realm_id = b.realm_id and o.id = b.bot_owner_id
      join realms r on r.id = b.realm_id
     where b.realm_id = new.realm_id and (b.id = new.id or b.bot_owner_id = new.id) and b.role < o.role
  loop
    update users set role = bot.role where realm_id = new.realm_id and id = bot.id;
    delete from group_members m using user_groups g
     where m.realm_id = new.realm_id and m.user_id = bot.id and g.realm_id = m.realm_id and g.id = m.group_id
       and g.is_system_group;
    insert into group_members (realm_id, group_id, user_id)
    select g.realm_id, g.id, bot.id from user_groups g
     where g.realm_id = new.realm_id and g.is_system_group and g.name = any(bot.groups);
  end loop;
  return null;
end
$$;

create trigger lower_roles_of_bots after insert or update of role, bot_owner_id on users for each row
  execute function lower_roles_of_bots();

-- Lowers the bots that are above their owners today, and drops the caches that know their roles.
with lowered as (
  update users b set role = b.role from users o
   where o.realm_id = b.realm_id and o.id = b.bot_owner_id and b.role < o.role
  returning b.realm_id
)
update realm_counters set access_version = access_version + 1 where realm_id in (select realm_id from lowered);
