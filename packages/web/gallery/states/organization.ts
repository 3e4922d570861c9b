import type { Area } from '../state.ts'

const pages = [
  ...['profile', 'members', 'invitations', 'permissions', 'channels', 'deleted-messages', 'emoji', 'linkifiers'],
  ...['profile-fields', 'bots', 'exports', 'jobs', 'audit-log'],
]

/** The settings of the organization, as its owner sees them. */
export const organization: Area = {
  name: 'organization',
  states: [
    ...pages.map((page) => ({
      name: `all-${page}`,
      at: `#organization/${page}`,
      as: 'owner' as const,
      shows: 'main.page h1',
    })),
    { name: 'groups', at: '#groups', as: 'owner', shows: 'main.page h1' },
    { name: 'group', at: '#groups/{group editors}', as: 'owner', shows: 'main.page h1' },
    { name: 'refused-page', at: '#organization/permissions', as: 'guest', shows: '.empty' },
  ],
}
