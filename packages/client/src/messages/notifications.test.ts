import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '../store/store.ts'
import { iconCount } from './icon-count.ts'
import { decideNotification } from './notifications.ts'

const me = 1
const muted = { stream_id: 7, topic_name: 'noise', visibility_policy: 1 }
const unmuted = { stream_id: 8, topic_name: 'open', visibility_policy: 2 }
const followed = { stream_id: 8, topic_name: 'news', visibility_policy: 3 }
const defaults = {
  enable_desktop_notifications: true,
  enable_sounds: true,
  enable_followed_topic_desktop_notifications: true,
  enable_followed_topic_audible_notifications: true,
  enable_stream_desktop_notifications: false,
  enable_stream_audible_notifications: false,
  wildcard_mentions_notify: true,
  enable_followed_topic_wildcard_mentions_notify: true,
  notification_sound: 'ding',
  enable_offline_push_notifications: true,
  enable_followed_topic_push_notifications: true,
  enable_stream_push_notifications: false,
  enable_offline_email_notifications: true,
  enable_followed_topic_email_notifications: true,
  enable_stream_email_notifications: false,
}

/** A viewer with one open and one muted channel, and one with its own settings. */
function storeWith(settings: object = {}, channel: object = {}) {
  return createStore({
    user_id: me,
    user_settings: { ...defaults, ...settings },
    subscriptions: [
      { stream_id: 7, name: 'open', ...channel },
      { stream_id: 8, name: 'muted', is_muted: true },
    ],
    user_topics: [muted, unmuted, followed],
    muted_users: [{ id: 66, timestamp: 1 }],
  })
}

const direct = (sender_id = 2) => ({ type: 'private', sender_id, display_recipient: [{ id: me }, { id: sender_id }] })
const inTopic = (stream_id: number, subject: string) => ({ type: 'stream', sender_id: 2, stream_id, subject })

function decide(message: object, flags: string[] = [], settings: object = {}, channel: object = {}) {
  return decideNotification(storeWith(settings, channel), { message, flags } as never)
}

/** What happens, in one word. */
function outcome({ desktop, sound }: { desktop: boolean; sound: boolean }): string {
  return desktop ? (sound ? 'both' : 'desktop') : sound ? 'sound' : 'none'
}

const on = { desktop_notifications: true }
const cases: [name: string, expected: string, reason: string, ...args: Parameters<typeof decide>][] = [
  ['a direct message notifies', 'both', 'direct', direct()],
  ['without sounds, silently', 'desktop', 'direct', direct(), [], { enable_sounds: false }],
  ['with the sound "none", silently', 'desktop', 'direct', direct(), [], { notification_sound: 'none' }],
  ['only with a sound', 'sound', 'direct', direct(), [], { enable_desktop_notifications: false }],
  [
    'with both off, not at all',
    'none',
    'direct, but silent',
    direct(),
    [],
    { enable_desktop_notifications: false, enable_sounds: false },
  ],
  ['own messages do not', 'none', 'own', direct(me)],
  ['muted users do not', 'none', 'mutedSender', direct(66)],
  ['what arrives as read does not', 'none', 'read', direct(), ['read']],
  ['channel messages do not by default', 'none', 'channel, but silent', inTopic(7, 'talk')],
  [
    'all channels can notify',
    'desktop',
    'channel',
    inTopic(7, 'talk'),
    [],
    { enable_stream_desktop_notifications: true },
  ],
  ['one channel can notify', 'desktop', 'channel', inTopic(7, 'talk'), [], {}, on],
  [
    'one channel can be silent',
    'none',
    'channel, but silent',
    inTopic(7, 'talk'),
    [],
    { enable_stream_desktop_notifications: true },
    { desktop_notifications: false },
  ],
  ['one channel can sound', 'sound', 'channel', inTopic(7, 'talk'), [], {}, { audible_notifications: true }],
  ['muted topics do not notify', 'none', 'mutedTopic', inTopic(7, 'Noise'), ['has_alert_word'], {}, on],
  ['muted channels do not notify', 'none', 'mutedChannel', inTopic(8, 'talk'), ['stream_wildcard_mentioned']],
  ['a mention notifies even there', 'both', 'mentioned', inTopic(8, 'talk'), ['mentioned']],
  ['an unmuted topic of a muted channel notifies', 'both', 'alertWord', inTopic(8, 'open'), ['has_alert_word']],
  ['a followed topic notifies', 'both', 'followed', inTopic(8, 'News')],
  [
    'a followed topic can be silent',
    'none',
    'followed, but silent',
    inTopic(8, 'news'),
    [],
    { enable_followed_topic_desktop_notifications: false, enable_followed_topic_audible_notifications: false },
  ],
  ['mentions of everyone notify', 'both', 'everyone', inTopic(7, 'talk'), ['topic_wildcard_mentioned']],
  [
    'they can be turned off',
    'none',
    'channel, but silent',
    inTopic(7, 'talk'),
    ['stream_wildcard_mentioned'],
    { wildcard_mentions_notify: false },
  ],
  [
    'for one channel',
    'none',
    'channel, but silent',
    inTopic(7, 'talk'),
    ['stream_wildcard_mentioned'],
    {},
    { wildcard_mentions_notify: false },
  ],
  [
    'except in followed topics',
    'both',
    'everyone',
    inTopic(8, 'news'),
    ['stream_wildcard_mentioned'],
    { wildcard_mentions_notify: false },
  ],
  ['channels without a subscription do not', 'none', 'notSubscribed', inTopic(9, 'talk')],
  ['a mention notifies without a subscription', 'both', 'mentioned', inTopic(9, 'talk'), ['mentioned']],
]

for (const [name, expected, reason, ...args] of cases) {
  test(`notifications: ${name}`, () => {
    const decision = decide(...args)
    assert.equal(outcome(decision), expected)
    assert.equal(`${decision.reason}${decision.isKeptSilent ? ', but silent' : ''}`, reason)
  })
}

test('devices without a window are notified by settings of their own', () => {
  const push = (...args: Parameters<typeof decide>) => decide(...args).push
  assert.ok(push(direct(), [], { enable_desktop_notifications: false, enable_sounds: false }))
  assert.ok(!push(direct(), [], { enable_offline_push_notifications: false }))
  assert.ok(push(inTopic(7, 'talk'), ['mentioned']))
  assert.ok(!push(inTopic(7, 'talk')))
  assert.ok(push(inTopic(7, 'talk'), [], {}, { push_notifications: true }))
  assert.ok(!push(inTopic(7, 'talk'), [], { enable_stream_push_notifications: true }, { push_notifications: false }))
  assert.ok(push(inTopic(8, 'news')))
  assert.ok(!push(inTopic(8, 'news'), [], { enable_followed_topic_push_notifications: false }))
  assert.ok(!push(direct(), ['read']) && !push(direct(66)) && !push(inTopic(9, 'talk')))
})

test('emails have settings of their own, and say why they are sent', () => {
  const email = (...args: Parameters<typeof decide>) => decide(...args).email
  assert.equal(email(direct(), [], { enable_desktop_notifications: false, enable_sounds: false }), 'direct')
  assert.equal(email(direct(), [], { enable_offline_email_notifications: false }), undefined)
  assert.equal(email(inTopic(7, 'talk'), ['mentioned']), 'mentioned')
  assert.equal(email(inTopic(7, 'talk')), undefined)
  assert.equal(email(inTopic(7, 'talk'), [], {}, { email_notifications: true }), 'channel')
  const off = { email_notifications: false }
  assert.equal(email(inTopic(7, 'talk'), [], { enable_stream_email_notifications: true }, off), undefined)
  assert.equal(email(inTopic(8, 'news')), 'followed')
  assert.equal(email(inTopic(8, 'news'), ['mentioned'], { enable_offline_email_notifications: false }), 'followed')
  assert.equal(email(inTopic(8, 'news'), [], { enable_followed_topic_email_notifications: false }), undefined)
  assert.deepEqual([email(direct(), ['read']), email(direct(66)), email(inTopic(9, 'talk'))], Array(3).fill(undefined))
})

test('notifications: during a pause nothing disturbs, except VIPs and what its sender insists on', () => {
  const paused = { notifications_paused_until: Math.floor(Date.now() / 1000) + 600 }
  const quiet = decide(direct(), [], paused)
  assert.deepEqual([quiet.desktop, quiet.sound, quiet.reason, quiet.push], [false, false, 'quiet', 'direct'])
  assert.equal(quiet.quietUntil, paused.notifications_paused_until)
  assert.equal(decide(direct(), [], { notifications_paused_until: 1 }).quietUntil, undefined)
  assert.ok(decide(direct(), [], { ...paused, notification_vips: `1,${direct().sender_id}` }).desktop)
  assert.ok(decide({ ...direct(), notify_anyway: true } as never, [], paused).desktop)
})

test('notifications: silent messages notify nobody', () => {
  const decision = decide({ ...direct(), silent: true } as never)
  assert.deepEqual(
    [decision.desktop, decision.push, decision.email, decision.reason],
    [false, undefined, undefined, 'silent'],
  )
})

test('notifications: the conversation that the viewer is looking at does not notify', () => {
  const { desktop, sound, reason } = decideNotification(storeWith(), { message: direct(), flags: [] } as never, true)
  assert.deepEqual([desktop, sound, reason], [false, false, 'shown'])
})

test('the icon counts what the viewer chose, each message once', () => {
  const counts = [1, 2, 3, 4].map((desktop_icon_count_display) => {
    const store = storeWith({ desktop_icon_count_display })
    const add = (id: number, message: object, flags: string[] = []) =>
      store.apply({ type: 'message', id, flags, message: { ...message, id } } as never)
    add(1, direct(), ['mentioned'])
    add(2, inTopic(8, 'news'), ['mentioned'])
    add(3, inTopic(8, 'news'))
    add(4, inTopic(7, 'talk'), ['mentioned'])
    add(5, inTopic(7, 'talk'))
    add(6, inTopic(7, 'noise'))
    return iconCount(store)
  })
  assert.deepEqual(counts, [5, 4, 3, 0])
})
