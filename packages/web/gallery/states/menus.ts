import { everyLook, onPhone } from '../looks.ts'
import type { Area } from '../state.ts'
import { click, hover, labelled, press, rightClick, row, see, type, write } from '../steps.ts'
import { topicAt } from './places.ts'

const open = { at: topicAt('tide model') }
const ready = see(row('With pleasure, tomorrow.'))

export const menus: Area = {
  name: 'menus',
  states: [
    {
      name: 'menu-of-topic',
      ...open,
      steps: [ready, click(`header ${labelled('topic.actions')}`)],
      shows: '[role=menu]',
    },
    {
      name: 'menu-of-topic-in-sidebar',
      ...open,
      steps: [ready, rightClick('.side a:has-text("search index")')],
      shows: '[role=menu]',
    },
    {
      name: 'menu-of-conversation',
      at: '#inbox',
      steps: [see('.conv'), rightClick('.conv:has-text("search index")')],
      shows: '[role=menu]',
    },
    { name: 'menu-of-me', ...open, steps: [ready, click('.me-name')], shows: '[role=menu]', looks: ['light', 'dark'] },
    { name: 'you', at: '#you', shows: '.you-row', looks: onPhone },
    {
      name: 'menu-of-member',
      at: '#organization/members',
      as: 'owner',
      steps: [see('main :text("Gil")'), click('main [aria-label*="Gil"][aria-haspopup=menu]')],
      shows: '[role=menu]',
    },
    { name: 'palette', ...open, steps: [ready, press('Control+k')], shows: '.palette', looks: everyLook },
    {
      name: 'palette-typed',
      ...open,
      steps: [ready, press('Control+k'), type('.palette input', 'ti')],
      shows: '.palette [role=option]',
    },
    {
      name: 'palette-nothing',
      ...open,
      steps: [ready, press('Control+k'), type('.palette input', 'zzzz')],
      shows: '.palette',
    },
    { name: 'search', ...open, steps: [ready, press('/')], shows: 'dialog[open]' },
    {
      name: 'search-operators',
      ...open,
      steps: [ready, press('/'), type('dialog[open] input', 'sender:')],
      shows: 'dialog[open] [role=option]',
    },
    {
      name: 'why-not-allowed',
      at: '#channels/{channel design}',
      steps: [click('.text-line .why')],
      shows: '.why-card',
      looks: ['light', 'dark', '390'],
    },
    {
      name: 'why-allowed',
      at: '#channels/{channel design}',
      steps: [click('.who-line .why')],
      shows: '.why-card',
    },
    {
      name: 'person',
      ...open,
      steps: [ready, click('article.msg .person-name:has-text("Priya")')],
      shows: '.person-head',
      looks: everyLook,
    },
    {
      name: 'reaction-picker',
      ...open,
      steps: [
        ready,
        hover(row('With pleasure, tomorrow.')),
        click(`${row('With pleasure, tomorrow.')} ${labelled('message.react')}`),
      ],
      shows: '.emoji-grid button',
    },
    { name: 'sidebar-channel-hovered', ...open, steps: [ready, hover('.side a:has-text("kitchen")')], shows: '.side' },
    { name: 'settings-search', at: '#settings/profile', steps: [write('.side input', 'dark')], shows: '.side .item' },
  ],
}
