import { operations } from '@parley/api/operations'
import sharp from 'sharp'
import type { Row } from './row.ts'

const red = { width: 8, height: 8, channels: 3, background: 'red' } as const
const image = await sharp({ create: red }).png().toBuffer()
let count = 0

/** Requests of the operations that take a file, that only anonymous clients use, or that need a place of the stage. */
export const requests: Record<string, Row['request']> = {
  fetchApiKey: (_stage, caller) => ({ username: `${caller}@example.com`, password: 'wrong' }),
  jwtFetchApiKey: () => ({ token: 'x' }),
  createSession: (_stage, caller) => ({ username: `${caller}@example.com`, password: 'wrong' }),
  endCurrentSession: () => ({}),
  getTokens: () => ({}),
  devFetchApiKey: ({ ann }) => ({ username: ann.credentials.email }),
  devListUsers: () => ({}),
  sendTestNotification: () => ({ token: 'unknown' }),
  reportMessage: async ({ olga, ann, ben, den }) => {
    await olga.does(operations.updateRealm, { moderation_request_channel_id: den.stream_id })
    return { path: { message_id: await ann.sends({ to: [ben] }) }, report_type: 'spam' }
  },
  uploadFile: () => ({ file: { content: 'x', filename: 'x.txt' } }),
  uploadAvatar: () => ({ file: { content: image, filename: 'x.png' } }),
  uploadRealmIcon: () => ({ file: { content: image, filename: 'x.png' } }),
  uploadRealmLogo: () => ({ file: { content: image, filename: 'x.png' } }),
  deactivateRealm: () => ({ deletion_delay_days: 14 }),
  uploadEmoji: () => ({ path: { emoji_name: `emoji${++count}` }, file: { content: image, filename: 'x.png' } }),
}
