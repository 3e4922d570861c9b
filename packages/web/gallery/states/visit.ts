import { type Look, onPhone } from '../looks.ts'
import type { Area } from '../state.ts'

const looks: readonly Look[] = ['light', 'dark', ...onPhone]

/** What people without an account see of an open channel: in the client, and on the pages for search engines. */
export const visit: Area = {
  name: 'visit',
  states: [
    { name: 'visit-channels', at: '#channels', as: 'nobody', shows: '.topic-row', looks },
    {
      name: 'visit-topics',
      at: '#topics/channel/{channel visitors}-visitors',
      as: 'nobody',
      shows: '.topic-row',
      looks,
    },
    {
      name: 'visit-topic',
      at: '#narrow/channel/{channel visitors}-visitors/topic/agenda',
      as: 'nobody',
      shows: 'article.msg',
      looks,
    },
    { name: 'open-channels', at: '/open', as: 'nobody', shows: 'main a', looks },
    { name: 'open-channel', at: '/open/{channel visitors}', as: 'nobody', shows: 'main a' },
  ],
}
