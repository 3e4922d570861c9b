import { lazy } from 'react'
import type { Page } from '../settings/pages.ts'

const admin = 200
const member = 400

/** The organization's settings. Each page is loaded when it is opened. */
export const organizationPages: readonly Page[] = [
  {
    hash: '#organization/profile',
    title: 'Organization',
    icon: 'building-complex',
    finds: 'name description icon language retention editing messages sign-up',
    leastRole: admin,
    Content: lazy(() => import('./profile.tsx').then((one) => ({ default: one.OrganizationPage }))),
  },
  {
    hash: '#organization/members',
    title: 'Members',
    icon: 'users-round',
    finds: 'users people role deactivate reactivate password reset end sessions guests',
    Content: lazy(() => import('./members.tsx').then((one) => ({ default: one.MembersPage }))),
  },
  {
    hash: '#organization/invitations',
    title: 'Invitations',
    icon: 'mail-plus',
    finds: 'invite email link resend revoke',
    leastRole: member,
    Content: lazy(() => import('./invitations.tsx').then((one) => ({ default: one.InvitationsPage }))),
  },
  {
    hash: '#groups',
    title: 'Groups',
    icon: 'shapes',
    finds: 'user groups members create mention',
    Content: lazy(() => import('./groups.tsx').then((one) => ({ default: one.GroupsPage }))),
  },
  {
    hash: '#organization/permissions',
    title: 'Permissions',
    icon: 'shield-check',
    finds: 'who may create invite delete move mention direct messages',
    leastRole: admin,
    Content: lazy(() => import('./permissions.tsx').then((one) => ({ default: one.PermissionsPage }))),
  },
  {
    hash: '#organization/channels',
    title: 'Channels and folders',
    icon: 'hash',
    finds: 'default channels folders new people',
    leastRole: admin,
    Content: lazy(() => import('./channels.tsx').then((one) => ({ default: one.ChannelsPage }))),
  },
  {
    hash: '#organization/emoji',
    title: 'Emoji',
    icon: 'face-slightly-smiling',
    finds: 'custom emoji upload',
    Content: lazy(() => import('./emoji.tsx').then((one) => ({ default: one.EmojiPage }))),
  },
  {
    hash: '#organization/linkifiers',
    title: 'Linkifiers and code',
    icon: 'link',
    finds: 'linkifiers patterns tester playgrounds code',
    leastRole: admin,
    Content: lazy(() => import('./linkifiers.tsx').then((one) => ({ default: one.LinkifiersPage }))),
  },
  {
    hash: '#organization/profile-fields',
    title: 'Profile fields',
    icon: 'list-checks',
    finds: 'custom profile fields pronouns',
    leastRole: admin,
    Content: lazy(() => import('./profile-fields.tsx').then((one) => ({ default: one.ProfileFieldsPage }))),
  },
  {
    hash: '#organization/bots',
    title: 'Bots and webhooks',
    icon: 'bot',
    finds: 'bots keys webhooks deliveries replay',
    leastRole: admin,
    Content: lazy(() => import('./bots.tsx').then((one) => ({ default: one.AllBotsPage }))),
  },
  {
    hash: '#organization/exports',
    title: 'Exports',
    icon: 'hard-drive-download',
    finds: 'export data download consent',
    leastRole: admin,
    Content: lazy(() => import('./exports.tsx').then((one) => ({ default: one.ExportsPage }))),
  },
  {
    hash: '#organization/jobs',
    title: 'Failed jobs',
    icon: 'activity',
    finds: 'failed background jobs retry',
    leastRole: admin,
    Content: lazy(() => import('./jobs.tsx').then((one) => ({ default: one.JobsPage }))),
  },
]
