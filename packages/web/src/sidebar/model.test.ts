import '../testing/english.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStore } from '@parley/client/store/store'
import { layoutOf, withMoved, withoutSection, withShiftedSection } from './layout.ts'
import { channelSections, firstChannels } from './model.ts'

const channel = (stream_id: number, name: string, change: object = {}) => ({
  stream_id,
  name,
  color: '',
  invite_only: false,
  is_muted: false,
  pin_to_top: false,
  folder_id: null,
  ...change,
})
const folder = (id: number, name: string, order: number, is_archived = false) => ({ id, name, order, is_archived })

const arranged = (layout: object | undefined) => ({ user_settings: { web_sidebar: JSON.stringify(layout) ?? '' } })

const sections = (subscriptions: object[], channel_folders: object[] = [], layout?: object) =>
  channelSections(createStore({ user_id: 9, subscriptions, channel_folders, ...arranged(layout) })).map(
    ({ name, channels }) => `${name}: ${channels.map((one) => one.name).join(' ')}`,
  )

test('without folders all channels are in one section, muted ones last', () => {
  assert.deepEqual(sections([channel(1, 'b'), channel(2, 'a', { is_muted: true }), channel(3, 'c')]), [
    'Channels: b c a',
  ])
})

test('pinned channels come first, then the folders in their order, then the rest', () => {
  const channels = [
    channel(1, 'a', { folder_id: 10 }),
    channel(2, 'b', { folder_id: 11 }),
    channel(3, 'c', { folder_id: 10, pin_to_top: true }),
    channel(4, 'd'),
  ]
  const folders = [folder(10, 'Product', 2), folder(11, 'Everyone', 1)]
  assert.deepEqual(sections(channels, folders), ['Pinned: c', 'Everyone: b', 'Product: a', 'Other channels: d'])
})

test('channels of an archived folder are among the rest', () => {
  assert.deepEqual(sections([channel(1, 'a', { folder_id: 10 })], [folder(10, 'Old', 1, true)]), ['Channels: a'])
})

test('the first channels are taken across sections', () => {
  const subscriptions = [channel(1, 'a', { pin_to_top: true }), channel(2, 'b'), channel(3, 'c')]
  const all = channelSections(createStore({ user_id: 9, subscriptions, channel_folders: [] }))
  const names = (limit: number) => firstChannels(all, limit).map(({ channels }) => channels.map(({ name }) => name))
  assert.deepEqual([names(1), names(2), names(9)], [[['a']], [['a'], ['b']], [['a'], ['b', 'c']]])
})

test('own sections come after the pinned channels, also without channels, and keep the order of the viewer', () => {
  const channels = [
    channel(1, 'a', { folder_id: 10 }),
    channel(2, 'b', { pin_to_top: true }),
    channel(3, 'c'),
    channel(4, 'd'),
  ]
  const layout = {
    sections: [
      { name: 'Now', channels: [1, 2, 4] },
      { name: 'Later', channels: [] },
    ],
    order: [4, 1],
  }
  assert.deepEqual(sections(channels, [folder(10, 'Product', 1)], layout), [
    'Pinned: b',
    'Now: d a',
    'Later: ',
    'Other channels: c',
  ])
})

test('a channel is in one section, and a deleted section gives its channels back', () => {
  const empty = { sections: [{ name: 'Now', channels: [1] }], order: [1] }
  const moved = withMoved(empty, 1, { own: 'Later', channels: [2, 1] })
  assert.deepEqual(moved, {
    sections: [
      { name: 'Now', channels: [] },
      { name: 'Later', channels: [1] },
    ],
    order: [2, 1],
  })
  assert.deepEqual(
    withShiftedSection(moved, 'Later', -1).sections.map(({ name }) => name),
    ['Later', 'Now'],
  )
  assert.deepEqual(withoutSection(moved, 'Later').sections, [{ name: 'Now', channels: [] }])
  assert.deepEqual(withMoved(moved, 1, { own: undefined, channels: [1] }).sections[1]!.channels, [])
})

test('an arrangement that cannot be read is none', () => {
  for (const web_sidebar of ['', 'x', '{}', '{"sections":[{}],"order":[]}', 'null'])
    assert.deepEqual(layoutOf(createStore({ user_id: 9, user_settings: { web_sidebar } } as object)), {
      sections: [],
      order: [],
    })
})
