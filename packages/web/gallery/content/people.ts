import type { Stage } from '../stage.ts'
import { day } from './line.ts'

const people = ['owner', 'admin', 'moderator', 'member', 'guest', 'ines', 'jonas', 'priya']
/** Reading and typing must change nothing, because the pictures are taken in any order. */
const quiet = {
  web_mark_read_on_scroll_policy: 3,
  send_private_typing_notifications: false,
  send_stream_typing_notifications: false,
}

/** People, channels and settings, before anything is written. */
export async function preparePeople(stage: Stage): Promise<void> {
  const olivia = await stage.as('owner')
  const newcomer = { email: 'newcomer@example.com', full_name: 'Nora', password: 'a long password for Nora' }
  await olivia.post('/users', newcomer)
  for (const person of [...people, 'newcomer']) {
    const { user_id } = await (await stage.as(person)).get('/users/me')
    stage.ids.set(`person ${person}`, Number(user_id))
  }
  const staff = ['admin', 'moderator', 'member', 'ines', 'jonas', 'priya'].map((name) =>
    stage.ids.get(`person ${name}`),
  )
  await olivia.post('/users/me/subscriptions', {
    subscriptions: [{ name: 'design', description: 'How it looks, and why. **Pictures** before opinions.' }],
  })
  await olivia.post('/users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: staff })
  for (const name of ['design', 'general', 'kitchen', 'announcements', 'planning', 'visitors'])
    stage.ids.set(`channel ${name}`, Number((await olivia.get(`/get_stream_id?stream=${name}`)).stream_id))
  const group = await olivia.post('/user_groups/create', {
    name: 'editors',
    description: 'They read it before it is published.',
    members: [stage.ids.get('person ines'), stage.ids.get('person jonas')],
  })
  stage.ids.set('group editors', Number(group.group_id))
  for (const person of ['member', 'owner', 'guest', 'newcomer'])
    await (await stage.as(person)).patch('/settings', quiet)
  await (await stage.as('member')).patch('/settings', { twenty_four_hour_time: true })
}

/** What other screens show: drafts, scheduled messages, groups, bots, invitations, statuses. */
export async function prepareOrganization(stage: Stage): Promise<void> {
  const { member, owner } = { member: await stage.as('member'), owner: await stage.as('owner') }
  const [design, ines] = ['channel design', 'person ines'].map((name) => stage.ids.get(name))
  const deliver = stage.start + 2 * day * 60
  await member.post('/scheduled_messages', {
    type: 'stream',
    to: design,
    topic: 'tide model',
    content: 'The text: **high water at 14:22**.',
    scheduled_delivery_timestamp: deliver,
  })
  await member.post('/reminders', {
    message_id: stage.ids.get('message other'),
    scheduled_delivery_timestamp: deliver,
    note: 'Ask Ines about it',
  })
  await owner.post('/users/me/subscriptions', { subscriptions: [{ name: 'reports' }], invite_only: true })
  const reports = await owner.get('/get_stream_id?stream=reports')
  await owner.patch('/realm', { moderation_request_channel_id: reports.stream_id, enable_spectator_access: true })
  await owner.patch(`/streams/${stage.ids.get('channel visitors')}`, { is_web_public: true })
  const hook = await owner.post('/hooks', { integration: 'github', name: 'Harbour on GitHub', channel_id: design })
  stage.ids.set('hook github', Number(hook.id))
  const pins = `/streams/${design}/pins`
  await member.post(pins, { message_id: stage.ids.get('message other'), title: 'Decided: seven terms' })
  await member.post(pins, { url: 'https://build.example.com/', title: 'Build status' })
  const drafts = [
    { type: 'stream', to: [design], topic: 'on call, week 42', content: 'What if we', timestamp: stage.start - 3600 },
    {
      type: 'private',
      to: [ines],
      topic: '',
      content: 'About Friday:\n\n* the keys\n* the boat',
      timestamp: stage.start - 7200,
    },
  ]
  await member.post('/drafts', { drafts })
  await member.post('/saved_snippets', { title: 'Thanks', content: 'Thank you for telling us. We look into it.' })
  await member.post('/user_topics', { stream_id: design, topic: 'tide model', visibility_policy: 3 })
  await member.post('/user_topics', { stream_id: design, topic: 'the long one', visibility_policy: 1 })
  await member.post('/messages/flags', { messages: [stage.ids.get('message other')], op: 'add', flag: 'starred' })
  await member.post('/users/me/status', { status_text: 'Focusing until noon', emoji_name: 'working_on_it' })
  await (await stage.as('newcomer')).post(`/users/me/muted_users/${stage.ids.get('person jonas')}`)
  await member.post('/users/me/alert_words', { alert_words: ['tide', 'boat house'] })
  await owner.post('/bots', { full_name: 'Tide bot', short_name: 'tide', bot_type: 1 })
  await owner.post('/invites/multiuse', { invite_as: 400, invite_expires_in_minutes: 4320, stream_ids: [design] })
  await owner.post('/realm/profile_fields', {
    name: 'Pronouns',
    hint: 'As others should write about you',
    field_type: 8,
  })
  await owner.post('/realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/issues/{id}' })
  for (const person of ['ines', 'jonas', 'priya', 'owner', 'member', 'guest', 'newcomer'])
    await (await stage.as(person)).post('/users/me/presence', {
      status: person === 'jonas' ? 'idle' : 'active',
      ping_only: true,
    })
}
