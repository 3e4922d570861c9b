import { type ComponentType, lazy } from 'react'
import type { PageEntry } from './model.ts'

export interface Page extends PageEntry {
  Content: ComponentType<PageProps>
}

export interface PageProps {
  /** What follows the page in the hash, such as an id. */
  rest: string
}

/** The viewer's own settings. Each page is loaded when it is opened. */
export const ownPages: readonly Page[] = [
  {
    hash: '#settings/profile',
    title: 'Profile',
    icon: 'circle-user-round',
    finds: 'name avatar image status time zone profile fields',
    Content: lazy(() => import('./profile.tsx').then((one) => ({ default: one.ProfilePage }))),
  },
  {
    hash: '#settings/account',
    title: 'Email and password',
    icon: 'lock',
    finds: 'account email change password deactivate sign out',
    Content: lazy(() => import('./account.tsx').then((one) => ({ default: one.AccountPage }))),
  },
  {
    hash: '#settings/appearance',
    title: 'Appearance',
    icon: 'sun-moon',
    finds:
      'theme dark light contrast density font size text enter sends home view channels read drafts 24-hour time emoji',
    Content: lazy(() => import('./appearance.tsx').then((one) => ({ default: one.AppearancePage }))),
  },
  {
    hash: '#settings/notifications',
    title: 'Notifications',
    icon: 'bell',
    finds: 'desktop sound push phone email mentions wildcard follow topics digest',
    Content: lazy(() => import('./notifications.tsx').then((one) => ({ default: one.NotificationsPage }))),
  },
  {
    hash: '#settings/privacy',
    title: 'Privacy',
    icon: 'eye-off',
    finds: 'presence read receipts typing email visibility export',
    Content: lazy(() => import('./privacy.tsx').then((one) => ({ default: one.PrivacyPage }))),
  },
  {
    hash: '#settings/sessions',
    title: 'Devices and tokens',
    icon: 'monitor-smartphone',
    finds: 'sessions signed in sign out everywhere API key token scopes',
    Content: lazy(() => import('./sessions.tsx').then((one) => ({ default: one.SessionsPage }))),
  },
  {
    hash: '#settings/bots',
    title: 'Bots and keys',
    icon: 'bot',
    finds: 'bots API key webhook create deliveries replay',
    leastRole: 400,
    Content: lazy(() => import('./bots.tsx').then((one) => ({ default: one.BotsPage }))),
  },
  {
    hash: '#settings/muted',
    title: 'Muted and followed',
    icon: 'bell-ring',
    finds: 'muted users people topics followed unmute',
    Content: lazy(() => import('./muted.tsx').then((one) => ({ default: one.MutedPage }))),
  },
  {
    hash: '#settings/alert-words',
    title: 'Alert words',
    icon: 'spell-check',
    finds: 'alert words highlight',
    Content: lazy(() => import('./alert-words.tsx').then((one) => ({ default: one.AlertWordsPage }))),
  },
]
