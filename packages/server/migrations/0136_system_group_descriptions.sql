-- New realms get these from groups/system-groups.ts.
update user_groups g set description = d.description
  from (values
    ('role:nobody', 'Nobody'),
    ('role:owners', 'Owners of this organization'),
    ('role:administrators', 'Administrators of this organization, including owners'),
    ('role:moderators', 'Moderators of this organization, including administrators'),
    ('role:fullmembers', 'Members who have been here for the waiting period, including moderators'),
    ('role:members', 'Members of this organization, not including guests'),
    ('role:everyone', 'Everyone in this organization, including guests'),
    ('role:internet', 'Everyone on the Internet')
  ) as d(name, description)
 where g.is_system_group and g.name = d.name;
