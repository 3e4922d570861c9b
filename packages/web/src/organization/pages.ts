import { lazy } from 'react'
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
    Content: lazy(() => import('./profile.tsx').then((one) => ({ default: one.OrganizationPage }))),
  },
  {
    hash: '#organization/members',
    title: 'members.title',
    icon: 'users-round',
    finds: 'members.finds',
    Content: lazy(() => import('./members.tsx').then((one) => ({ default: one.MembersPage }))),
  },
  {
    hash: '#organization/invitations',
    title: 'invitations.title',
    icon: 'mail-plus',
    finds: 'invitations.finds',
    leastRole: member,
    Content: lazy(() => import('./invitations.tsx').then((one) => ({ default: one.InvitationsPage }))),
  },
  {
    hash: '#groups',
    title: 'groups.title',
    icon: 'shapes',
    finds: 'groups.finds',
    Content: lazy(() => import('./groups.tsx').then((one) => ({ default: one.GroupsPage }))),
  },
  {
    hash: '#organization/permissions',
    title: 'common.permissions',
    icon: 'shield-check',
    finds: 'permissions.finds',
    leastRole: admin,
    Content: lazy(() => import('./permissions.tsx').then((one) => ({ default: one.PermissionsPage }))),
  },
  {
    hash: '#organization/channels',
    title: 'channelsAndFolders.title',
    icon: 'hash',
    finds: 'channelsAndFolders.finds',
    leastRole: admin,
    Content: lazy(() => import('./channels.tsx').then((one) => ({ default: one.ChannelsPage }))),
  },
  {
    hash: '#organization/emoji',
    title: 'compose.emoji',
    icon: 'face-slightly-smiling',
    finds: 'emoji.finds',
    Content: lazy(() => import('./emoji.tsx').then((one) => ({ default: one.EmojiPage }))),
  },
  {
    hash: '#organization/linkifiers',
    title: 'linkifiersAndCode.title',
    icon: 'link',
    finds: 'linkifiersAndCode.finds',
    leastRole: admin,
    Content: lazy(() => import('./linkifiers.tsx').then((one) => ({ default: one.LinkifiersPage }))),
  },
  {
    hash: '#organization/profile-fields',
    title: 'profileFields.title',
    icon: 'list-checks',
    finds: 'profileFields.finds',
    leastRole: admin,
    Content: lazy(() => import('./profile-fields.tsx').then((one) => ({ default: one.ProfileFieldsPage }))),
  },
  {
    hash: '#organization/bots',
    title: 'botsAndWebhooks.title',
    icon: 'bot',
    finds: 'botsAndWebhooks.finds',
    leastRole: admin,
    Content: lazy(() => import('./bots.tsx').then((one) => ({ default: one.AllBotsPage }))),
  },
  {
    hash: '#organization/exports',
    title: 'exports.title',
    icon: 'hard-drive-download',
    finds: 'exports.finds',
    leastRole: admin,
    Content: lazy(() => import('./exports.tsx').then((one) => ({ default: one.ExportsPage }))),
  },
  {
    hash: '#organization/jobs',
    title: 'jobs.title',
    icon: 'activity',
    finds: 'jobs.finds',
    leastRole: admin,
    Content: lazy(() => import('./jobs.tsx').then((one) => ({ default: one.JobsPage }))),
  },
  {
    hash: '#organization/audit-log',
    title: 'audit.title',
    icon: 'list-checks',
    finds: 'audit.finds',
    leastRole: owner,
    Content: lazy(() => import('./audit-log.tsx').then((one) => ({ default: one.AuditLogPage }))),
  },
]
