import type { PlainId } from '../platform/i18n.ts'
import type { Command } from '../platform/keys.ts'

/** What each command does, in the order and the sections in which `?` shows them. */
export const keySections: readonly [title: PlainId, labels: readonly [Command, PlainId][]][] = [
  [
    'keys.section.everywhere',
    [
      ['search', 'keys.search'],
      ['searchHere', 'keys.searchHere'],
      ['jump', 'keys.jump'],
      ['help', 'keys.help'],
      ['undo', 'keys.undo'],
      ['home', 'keys.home'],
      ['channels', 'keys.channels'],
      ['people', 'keys.people'],
    ],
  ],
  [
    'keys.section.goTo',
    [
      ['inbox', 'keys.inbox'],
      ['recent', 'keys.recent'],
      ['feed', 'keys.feed'],
      ['starred', 'keys.starred'],
      ['drafts', 'keys.drafts'],
      ['nextTopic', 'keys.nextTopic'],
      ['nextFollowed', 'keys.nextFollowed'],
      ['nextDirect', 'keys.nextDirect'],
      ['jumpToDate', 'keys.jumpToDate'],
      ['conversation', 'keys.conversation'],
      ['channel', 'keys.channel'],
    ],
  ],
  [
    'keys.section.reading',
    [
      ['next', 'keys.next'],
      ['previous', 'keys.previous'],
      ['pageDown', 'keys.pageDown'],
      ['pageUp', 'keys.pageUp'],
      ['last', 'keys.last'],
      ['first', 'keys.first'],
      ['done', 'keys.done'],
      ['open', 'keys.open'],
      ['markUnread', 'keys.markUnread'],
      ['muteTopic', 'keys.muteTopic'],
      ['images', 'keys.images'],
    ],
  ],
  [
    'keys.section.writing',
    [
      ['reply', 'keys.reply'],
      ['quote', 'keys.quote'],
      ['forward', 'keys.forward'],
      ['mention', 'keys.mention'],
      ['newTopic', 'keys.newTopic'],
      ['newDirect', 'keys.newDirect'],
      ['send', 'keys.send'],
      ['recipient', 'keys.recipient'],
      ['bold', 'keys.bold'],
      ['italic', 'keys.italic'],
      ['link', 'keys.link'],
    ],
  ],
  [
    'keys.section.message',
    [
      ['edit', 'keys.edit'],
      ['move', 'keys.move'],
      ['react', 'keys.react'],
      ['like', 'keys.like'],
      ['firstReaction', 'keys.firstReaction'],
      ['star', 'keys.star'],
      ['menu', 'keys.menu'],
      ['sender', 'keys.sender'],
      ['receipts', 'keys.receipts'],
      ['history', 'keys.history'],
      ['collapse', 'keys.collapse'],
    ],
  ],
]
