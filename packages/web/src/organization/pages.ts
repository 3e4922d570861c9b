import { lazyPart } from '../session/lazy-part.tsx'
import type { Page } from '../settings/pages.ts'

const owner = 100
const admin = 200
const member = 400

/** The organization's settings. Each page is loaded when it is opened. */
export const organizationPages: readonly Page[] = [
  {
    hash: '#organization/profile',
    title: 'organization.title',
    icon: 'building-complex',
    finds: 'organization.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./profile.tsx').then((one) => one.OrganizationPage)),
  },
  {
    hash: '#organization/members',
    title: 'members.title',
    icon: 'users-round',
    finds: 'members.finds',
    Content: lazyPart(() => import('./members.tsx').then((one) => one.MembersPage)),
  },
  {
    hash: '#organization/invitations',
    title: 'invitations.title',
    icon: 'mail-plus',
    finds: 'invitations.finds',
    leastRole: member,
    Content: lazyPart(() => import('./invitations.tsx').then((one) => one.InvitationsPage)),
  },
  {
    hash: '#groups',
    title: 'groups.title',
    icon: 'shapes',
    finds: 'groups.finds',
    Content: lazyPart(() => import('./groups.tsx').then((one) => one.GroupsPage)),
  },
  {
    hash: '#organization/permissions',
    title: 'common.permissions',
    icon: 'shield-check',
    finds: 'permissions.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./permissions.tsx').then((one) => one.PermissionsPage)),
  },
  {
    hash: '#organization/channels',
    title: 'channelsAndFolders.title',
    icon: 'hash',
    finds: 'channelsAndFolders.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./channels.tsx').then((one) => one.ChannelsPage)),
  },
  {
    hash: '#organization/emoji',
    title: 'compose.emoji',
    icon: 'face-slightly-smiling',
    finds: 'emoji.finds',
    Content: lazyPart(() => import('./emoji.tsx').then((one) => one.EmojiPage)),
  },
  {
    hash: '#organization/linkifiers',
    title: 'linkifiersAndCode.title',
    icon: 'link',
    finds: 'linkifiersAndCode.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./linkifiers.tsx').then((one) => one.LinkifiersPage)),
  },
  {
    hash: '#organization/profile-fields',
    title: 'profileFields.title',
    icon: 'list-checks',
    finds: 'profileFields.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./profile-fields.tsx').then((one) => one.ProfileFieldsPage)),
  },
  {
    hash: '#organization/bots',
    title: 'botsAndWebhooks.title',
    icon: 'bot',
    finds: 'botsAndWebhooks.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./bots.tsx').then((one) => one.AllBotsPage)),
  },
  {
    hash: '#organization/exports',
    title: 'exports.title',
    icon: 'hard-drive-download',
    finds: 'exports.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./exports.tsx').then((one) => one.ExportsPage)),
  },
  {
    hash: '#organization/jobs',
    title: 'jobs.title',
    icon: 'activity',
    finds: 'jobs.finds',
    leastRole: admin,
    Content: lazyPart(() => import('./jobs.tsx').then((one) => one.JobsPage)),
  },
  {
    hash: '#organization/audit-log',
    title: 'audit.title',
    icon: 'list-checks',
    finds: 'audit.finds',
    leastRole: owner,
    Content: lazyPart(() => import('./audit-log.tsx').then((one) => one.AuditLogPage)),
  },
]
