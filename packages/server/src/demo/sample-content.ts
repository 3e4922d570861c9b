import { type Role, roles } from '@parley/api/common'
import type { Grant } from '../callers/grants.ts'

/** Shared by all demo accounts. It can be public, because the demo server listens on localhost only. */
export const demoPassword = 'parley-demo'

export interface DemoPerson {
  email: string
  full_name: string
  role: Role
  about: string
  grants?: Grant[]
}

export const demoPeople: DemoPerson[] = [
  {
    email: 'owner@example.com',
    full_name: 'Olivia',
    role: roles.owner,
    about: 'owner, may create users and change their email addresses',
    grants: ['can_create_users', 'can_change_user_emails'],
  },
  { email: 'admin@example.com', full_name: 'Amir', role: roles.admin, about: 'administrator' },
  { email: 'moderator@example.com', full_name: 'Mei', role: roles.moderator, about: 'moderator' },
  { email: 'member@example.com', full_name: 'Marta', role: roles.member, about: 'member' },
  { email: 'guest@example.com', full_name: 'Gil', role: roles.guest, about: 'guest' },
  { email: 'ines@example.com', full_name: 'Ines', role: roles.member, about: 'member' },
  { email: 'jonas@example.com', full_name: 'Jonas', role: roles.member, about: 'member' },
  { email: 'priya@example.com', full_name: 'Priya', role: roles.member, about: 'member' },
]

export interface DemoChannel {
  name: string
  description: string
  /** The subscribers, besides the owner, who creates the channel. */
  people: string[]
  /** The owner adds the subscribers. Otherwise they subscribe themselves, which only public channels allow. */
  added?: true
  settings?: Record<string, unknown>
  /** Only moderators, administrators and owners can send messages. */
  isAnnouncements?: true
}

const staff = ['Amir', 'Mei', 'Marta', 'Ines', 'Jonas', 'Priya']

export const demoChannels: DemoChannel[] = [
  {
    name: 'general',
    description: 'For everyone, about anything.',
    people: staff,
    settings: { is_default_stream: true },
  },
  {
    name: 'announcements',
    description: 'News from the team that runs this server.',
    people: staff,
    isAnnouncements: true,
  },
  { name: 'kitchen', description: 'Recipes, lunch, and who finished the coffee.', people: ['Marta', 'Ines', 'Jonas'] },
  {
    name: 'visitors',
    description: 'Where guests and hosts meet.',
    people: ['Gil', 'Mei', 'Marta'],
    added: true,
  },
  {
    name: 'planning',
    description: 'Private. New subscribers see only messages sent after they joined.',
    people: ['Amir', 'Mei', 'Priya'],
    added: true,
    settings: { invite_only: true, history_public_to_subscribers: false },
  },
]

export interface DemoMessage {
  from: string
  /** Either `channel` and `topic`, or `to`. */
  channel?: string
  topic?: string
  to?: string[]
  content: string
  /** The names of those who react, by emoji. */
  reactions?: Record<string, string[]>
  /** The names of those who vote for each option of a poll. */
  votes?: string[][]
}

export const demoMessages: DemoMessage[] = [
  {
    from: 'Olivia',
    channel: 'announcements',
    topic: 'welcome',
    content:
      'Welcome to **Parley**! :tada: This is a demo: everything here is invented, and you may try whatever you like.',
  },
  {
    from: 'Amir',
    channel: 'announcements',
    topic: 'welcome',
    content: 'Only moderators and administrators can send messages in this channel; everyone can read it.',
  },
  {
    from: 'Olivia',
    channel: 'general',
    topic: 'hello',
    content: 'Good morning, everyone! :wave:',
    reactions: { wave: ['Ines', 'Jonas'] },
  },
  {
    from: 'Marta',
    channel: 'general',
    topic: 'hello',
    content: 'Good morning! @**Jonas**, are you back from the mountains?',
  },
  { from: 'Jonas', channel: 'general', topic: 'hello', content: 'Since last night, with tired legs and 300 photos.' },
  {
    from: 'Mei',
    channel: 'general',
    topic: 'how to use topics',
    content:
      'A short guide:\n\n1. Every message has a **topic**, like the subject of a letter.\n2. Read one topic at a time; leave the others for later.\n3. Something new? Start a new topic.\n\nMention people with `@**Name**` and channels with `#**channel**`, for example #**kitchen**.',
  },
  {
    from: 'Priya',
    channel: 'general',
    topic: 'how to use topics',
    content: 'And code goes between backticks: `npm start`.',
  },
  {
    from: 'Priya',
    channel: 'general',
    topic: 'release notes',
    content: 'The draft is ready. Still missing: a sentence about **search**, and one about **working offline**.',
  },
  {
    from: 'Amir',
    channel: 'general',
    topic: 'release notes',
    content:
      'Offline in five lines, so that nobody promises too much:\n\n```typescript\n// Show what is stored, then catch up.\nconst stored = await openCache(account)\nshow(stored.state)\nfor await (const event of eventsAfter(stored.position)) apply(event)\n```',
    reactions: { rocket: ['Priya', 'Mei', 'Jonas', 'Ines'], eyes: ['Olivia', 'Marta'] },
  },
  {
    from: 'Mei',
    channel: 'general',
    topic: 'release notes',
    content: '/poll When do we publish?\nThursday morning\nMonday, after the weekend\nWhen everyone has read it',
    votes: [['Amir', 'Priya', 'Ines'], ['Jonas'], ['Olivia']],
  },
  {
    from: 'Olivia',
    channel: 'general',
    topic: 'release notes',
    content: '@**Marta**, could you read it once as if it were new to you?',
  },
  { from: 'Ines', channel: 'kitchen', topic: 'lunch', content: 'Soup today. Who is in?' },
  { from: 'Jonas', channel: 'kitchen', topic: 'lunch', content: 'Me! At half past twelve?' },
  { from: 'Marta', channel: 'kitchen', topic: 'coffee', content: 'The machine says it wants to be descaled.' },
  {
    from: 'Mei',
    channel: 'visitors',
    topic: 'hello',
    content: 'Hello @**Gil**, good to have you here. As a guest you see this channel and the people in it.',
  },
  { from: 'Gil', channel: 'visitors', topic: 'hello', content: 'Thank you! Where do I find the agenda?' },
  { from: 'Marta', channel: 'visitors', topic: 'agenda', content: 'Here: first a walk through the house, then lunch.' },
  {
    from: 'Olivia',
    channel: 'planning',
    topic: 'next quarter',
    content: 'Three things to decide by Friday: budget, hiring, and the new office.',
  },
  { from: 'Priya', channel: 'planning', topic: 'next quarter', content: 'I will bring numbers for the first two.' },
  { from: 'Olivia', to: ['Marta'], content: 'Could you show Gil around on Thursday?' },
  { from: 'Marta', to: ['Olivia'], content: 'With pleasure.' },
  { from: 'Amir', to: ['Olivia', 'Mei'], content: 'Short meeting after lunch?' },
]
