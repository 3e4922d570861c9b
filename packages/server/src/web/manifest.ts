import type { Realm } from '../callers/realm-state.ts'
import { staticFiles } from '../identity/pages/layout.ts'
import { largeIcon, urlOf } from '../organization/realms/images.ts'

const icon = (src: string, size: number, purpose: string) => ({
  src,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})

const shortcuts = [
  ['Inbox', '#inbox'],
  ['Recent conversations', '#recent'],
  ['Mentions', '#narrow/is/mentioned'],
]

const ownIcons = [
  icon(`${staticFiles}/icon-192.png`, 192, 'any'),
  icon(`${staticFiles}/icon-512.png`, 512, 'any'),
  icon(`${staticFiles}/icon-maskable-512.png`, 512, 'maskable'),
]

/** What the browser needs to install the web client as an app, with the icon of the organization if it has one. */
export function manifestOf({ name, description, icon_path }: Pick<Realm, 'name' | 'description' | 'icon_path'>) {
  const large = urlOf(largeIcon(icon_path) ?? null)
  return {
    id: '/',
    name,
    short_name: name,
    description,
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#fcfdfd',
    theme_color: '#00668a',
    categories: ['productivity', 'social'],
    icons: large === undefined ? ownIcons : [icon(large, 512, 'any')],
    share_target: {
      action: '/',
      method: 'GET',
      enctype: 'application/x-www-form-urlencoded',
      params: { title: 'shared-title', text: 'shared-text', url: 'shared-url' },
    },
    shortcuts: shortcuts.map(([title, hash]) => ({ name: title, url: `/${hash}` })),
  }
}
