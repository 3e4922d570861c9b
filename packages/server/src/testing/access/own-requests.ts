import sharp from 'sharp'
import type { Row } from './row.ts'

const red = { width: 8, height: 8, channels: 3, background: 'red' } as const
const image = await sharp({ create: red }).png().toBuffer()
let count = 0

/** Requests of the operations that take a file, or that only anonymous clients use. */
export const requests: Record<string, Row['request']> = {
  fetchApiKey: (_stage, caller) => ({ username: `${caller}@example.com`, password: 'wrong' }),
  jwtFetchApiKey: () => ({ token: 'x' }),
  createSession: (_stage, caller) => ({ username: `${caller}@example.com`, password: 'wrong' }),
  endCurrentSession: () => ({}),
  getTokens: () => ({}),
  devFetchApiKey: ({ ann }) => ({ username: ann.credentials.email }),
  devListUsers: () => ({}),
  sendTestNotification: () => ({ token: 'unknown' }),
  uploadFile: () => ({ file: { content: 'x', filename: 'x.txt' } }),
  uploadAvatar: () => ({ file: { content: image, filename: 'x.png' } }),
  uploadRealmIcon: () => ({ file: { content: image, filename: 'x.png' } }),
  uploadRealmLogo: () => ({ file: { content: image, filename: 'x.png' } }),
  deactivateRealm: () => ({ deletion_delay_days: 14 }),
  uploadEmoji: () => ({ path: { emoji_name: `emoji${++count}` }, file: { content: image, filename: 'x.png' } }),
}
