import { everyLook, type Look } from '../looks.ts'
import type { Area, State } from '../state.ts'
import {
  asSomeoneElse,
  click,
  entry,
  fromMenu,
  hover,
  labelled,
  press,
  refuse,
  row,
  see,
  stall,
  type,
  wheel,
} from '../steps.ts'
import { composerField, topicAt } from './places.ts'

/** A topic with one form of message. */
const form = (name: string, topic: string, shows: string, looks?: readonly Look[]): State => ({
  name,
  at: topicAt(topic),
  shows: `article.msg ${shows}`,
  ...(looks && { looks }),
})

const sendsNothing = stall('**/api/v1/messages')
const newest = row('With pleasure, tomorrow.')

export const list: Area = {
  name: 'list',
  states: [
    form('one-word', 'one word', ':text("Promise.")', everyLook),
    form('formatting', 'formatting', ':text("Under the line")', everyLook),
    form('code', 'code', 'pre', everyLook),
    form('formulas', 'formulas', '.katex-display', everyLook),
    form('quotes', 'quotes', 'blockquote'),
    form('tables', 'tables', 'table', everyLook),
    form('spoilers', 'spoilers', '.spoiler-block'),
    {
      ...form('spoiler-open', 'spoilers', '.spoiler-block'),
      steps: [click('.spoiler-block button')],
    },
    form('images', 'images', 'img', everyLook),
    form('tall-image', 'tall images', 'img'),
    form('media', 'media', ':text("A talk")'),
    form('polls', 'polls', '.poll', everyLook),
    form('actions', 'actions', ':text("Where?")'),
    form('emoji', 'emoji', ':text("In a sentence")'),
    form('right-to-left', 'right to left', ':text("Mixed")'),
    form('ten-thousand', 'ten thousand characters', ':text("Thank you, I think.")'),
    form('hostile-widths', 'hostile widths', ':text("WWW")'),
    form('days', 'several days', ':text("In the drawer.")'),
    form('conversation', 'tide model', ':text("The tables agree.")', everyLook),
    form('resolved', '✔ buoy firmware', ':text("Version 11")'),
    form('long-topic-name', 'a topic with a name that is so long that it fits nowhere', ':text("Short.")'),
    { name: 'new-messages', at: topicAt('opening hours'), shows: 'article.msg.is-unread', looks: everyLook },
    { name: 'mention', at: topicAt('search index'), shows: 'article.msg.mentions' },
    {
      name: 'scrolled-up',
      at: topicAt('the long one'),
      steps: [see('article.msg'), wheel(-3000)],
      shows: 'article.msg',
    },
    {
      name: 'arrivals-while-scrolled-up',
      at: topicAt('the other long one'),
      steps: [
        see('article.msg'),
        wheel(-3000),
        asSomeoneElse('ines', '/messages', {
          type: 'stream',
          to: 'design',
          topic: 'the other long one',
          content: 'A new one.',
        }),
      ],
      shows: 'article.msg',
    },
    { name: 'hovered', at: topicAt('tide model'), steps: [hover(newest)], shows: '.tools' },
    {
      name: 'selected',
      at: topicAt('tide model'),
      steps: [see(newest), press('k')],
      shows: 'article.msg.selected',
    },
    {
      name: 'sending',
      at: topicAt('tide model'),
      steps: [see(newest), sendsNothing, type(composerField, 'On its way'), press('Control+Enter')],
      shows: 'article.msg.pending',
    },
    {
      name: 'not-sent',
      at: topicAt('tide model'),
      steps: [
        see(newest),
        refuse('**/api/v1/messages', 400, 'You do not have permission to post in this channel.'),
        type(composerField, 'Refused by the server'),
        press('Control+Enter'),
      ],
      shows: '.not-sent',
    },
    {
      name: 'deleted',
      at: topicAt('tide model'),
      as: 'owner',
      steps: [see(newest), stall('**/api/v1/messages/*'), ...fromMenu('Nobody has measured', 'common.delete')],
      shows: '.deleted',
    },
    {
      name: 'editing',
      at: topicAt('tide model'),
      steps: fromMenu('The tables agree.', 'common.edit'),
      shows: labelled('message.editLabel'),
    },
    {
      name: 'collapsed',
      at: topicAt('code'),
      steps: fromMenu('All the code', 'message.collapse'),
      shows: 'article.msg .quiet',
    },
    { name: 'linked-message', at: `${topicAt('the long one')}/near/{message linked}`, shows: 'article.msg' },
    { name: 'channel-feed', at: '#narrow/channel/{channel design}-design', shows: 'article.msg' },
    { name: 'direct', at: '#narrow/dm/{person priya}', shows: 'article.msg img' },
    {
      name: 'topic-details',
      at: topicAt('images'),
      steps: [see('article.msg'), click(labelled('topic.about'))],
      shows: '.panel .file',
    },
    {
      name: 'muted-person',
      at: '#narrow/channel/{channel general}-general/topic/hello',
      as: 'newcomer',
      shows: 'article.msg .quiet',
    },
    {
      name: 'menu-of-message',
      at: topicAt('tide model'),
      steps: [...fromMenu('The tables agree.'), see(entry('common.edit'))],
      shows: '[role=menu]',
      looks: everyLook,
    },
  ],
}
