import { everyLook } from '../looks.ts'
import type { Area, Step } from '../state.ts'
import { click, goOffline, labelled, press, refuse, see, stall, type, write } from '../steps.ts'
import { topicAt } from './places.ts'

/** As if the operator had typed `parley maintenance on`. */
const duringMaintenance: Step = ({ page }) =>
  page.route('**/api/v1/register', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), server_maintenance: 'Back at 18:00' } })
  })

export const screens: Area = {
  name: 'screens',
  states: [
    { name: 'inbox', at: '#inbox', shows: '.conv p b', looks: everyLook },
    {
      name: 'inbox-open',
      at: '#inbox',
      steps: [see('.conv'), click('.conv-open:has-text("search index")')],
      shows: 'article.msg',
    },
    { name: 'inbox-empty', at: '#inbox', as: 'newcomer', shows: '.empty' },
    { name: 'inbox-guest', at: '#inbox', as: 'guest', shows: '.conv p b' },
    { name: 'recent', at: '#recent', shows: '.recent-rows', looks: everyLook },
    {
      name: 'recent-filtered',
      at: '#recent',
      steps: [see('.recent-rows'), write('.main input', 'nothing like it')],
      shows: '.empty',
    },
    { name: 'feed', at: '#feed', shows: 'article.msg' },
    { name: 'mentions', at: '#narrow/is/mentioned', shows: 'article.msg' },
    { name: 'mentions-empty', at: '#narrow/is/mentioned', as: 'newcomer', shows: '.empty' },
    { name: 'starred', at: '#narrow/is/starred', shows: 'article.msg' },
    { name: 'drafts', at: '#drafts', shows: 'main h1' },
    { name: 'drafts-empty', at: '#drafts', as: 'newcomer', shows: '.empty' },
    { name: 'scheduled', at: '#scheduled', shows: 'main h1' },
    { name: 'search-results', at: '#narrow/search/forecast', shows: 'article.msg' },
    { name: 'search-nothing', at: '#narrow/search/zebra', shows: '.empty' },
    {
      name: 'topics-of-channel',
      at: '#topics/channel/{channel design}-design',
      shows: '.topic-row:has-text("tide model") .latest b',
      looks: everyLook,
    },
    { name: 'files-of-channel', at: '#files/channel/{channel design}-design', shows: 'main h1' },
    { name: 'channels', at: '#channels', shows: 'main :text("kitchen")' },
    { name: 'channel-settings', at: '#channels/{channel design}', shows: 'main h1' },
    { name: 'channel-settings-owner', at: '#channels/{channel design}', as: 'owner', shows: 'main h1' },
    { name: 'new-channel', at: '#channels/new', shows: 'main h1' },
    { name: 'no-page', at: '#nowhere', shows: '.empty' },
    { name: 'no-access', at: '#narrow/channel/999999/topic/x', shows: '.empty' },
    { name: 'loading', at: topicAt('tide model'), before: [stall('**/api/v1/messages?*')], shows: '.skeleton-row' },
    { name: 'loading-everything', at: '#inbox', before: [stall('**/api/v1/register')], shows: '.skeleton-row' },
    {
      name: 'error',
      at: topicAt('tide model'),
      before: [refuse('**/api/v1/messages?*', 400, 'The database is being repaired.')],
      shows: '.empty[role=alert]',
    },
    { name: 'offline', at: topicAt('tide model'), steps: [see('article.msg'), goOffline], shows: '.offline' },
    {
      name: 'maintenance',
      at: topicAt('tide model'),
      before: [duringMaintenance],
      steps: [see('article.msg')],
      shows: '.offline',
      looks: ['light', 'dark', '390'],
    },
    {
      name: 'pins-dialog',
      at: '#narrow/channel/{channel design}-design',
      steps: [click(`.channel-links ${labelled('common.edit')}, .channel-links button`)],
      shows: 'dialog[open] input',
    },
    { name: 'unreachable', at: '#inbox', before: [goOfflineForApi()], shows: '.unreachable' },
    { name: 'toast', at: topicAt('tide model'), steps: [see('article.msg'), press('n')], shows: '.toast, article.msg' },
    {
      name: 'undo-toast',
      at: '#inbox',
      steps: [see('.conv'), stall('**/api/v1/messages/flags*'), press('e')],
      shows: '.toast',
    },
    {
      name: 'notification-bar',
      at: '#inbox',
      before: [({ page }) => page.context().clearPermissions()],
      shows: '.notify-bar',
    },
    {
      name: 'search-typed',
      at: topicAt('tide model'),
      steps: [see('article.msg'), press('/'), type('dialog[open] input', 'forecast')],
      shows: '.found article, .found a, .found li, .search-status',
    },
  ],
}

/** As if the server were down when the client is opened. */
function goOfflineForApi() {
  return ({ page }: Parameters<typeof goOffline>[0]) =>
    page.route('**/api/v1/**', (route) => route.abort('connectionrefused'))
}
