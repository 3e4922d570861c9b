import { staticFiles } from '../pages/layout.ts'
import type { Realm } from '../realms/state.ts'

const icon = (name: string, size: number, purpose: string) => ({
  src: `${staticFiles}/${name}`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})

const shortcuts = [
  ['Inbox', '#inbox'],
  ['Recent conversations', '#recent'],
  ['Mentions', '#narrow/is/mentioned'],
]

/**
 * What the browser needs to install the web client as an app. The icon is ours, because icons of organizations are
 * stored too small for a home screen.
 */
export function manifestOf({ name, description }: Pick<Realm, 'name' | 'description'>): object {
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
    icons: [
      icon('icon-192.png', 192, 'any'),
      icon('icon-512.png', 512, 'any'),
      icon('icon-maskable-512.png', 512, 'maskable'),
    ],
    shortcuts: shortcuts.map(([title, hash]) => ({ name: title, url: `/${hash}` })),
  }
}
