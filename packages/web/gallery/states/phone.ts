import { type Look, onPhone } from '../looks.ts'
import type { Area, State, Step } from '../state.ts'
import { click, labelled, see, type } from '../steps.ts'
import { composerField, topicAt } from './places.ts'

const screen = (
  name: string,
  at: string,
  shows: string,
  steps: Step[] = [],
  looks: readonly Look[] = onPhone,
): State => ({ name: `phone-${name}`, at, shows, steps, looks })

export const phone: Area = {
  name: 'phone',
  states: [
    screen('channels', '#channels', 'main h1'),
    screen('you', '#settings', '.settings'),
    screen('mentions', '#narrow/is/mentioned', 'article.msg'),
    screen('drafts', '#drafts', 'main h1'),
    screen('starred', '#narrow/is/starred', 'article.msg'),
    screen('channel-feed', '#narrow/channel/{channel design}-design', 'article.msg'),
    screen('direct', '#narrow/dm/{person priya}', 'article.msg'),
    screen('writing', topicAt('tide model'), '.compose', [
      see('article.msg'),
      click(composerField),
      type(composerField, 'On my way'),
    ]),
    screen('menu-of-topic', topicAt('tide model'), '[role=menu]', [
      see('article.msg'),
      click(`header ${labelled('topic.actions')}`),
    ]),
    screen('members', '#organization/members', 'main h1'),
    screen('right-to-left', topicAt('right to left'), 'article.msg'),
    screen('media', topicAt('media'), 'article.msg'),
    screen('wide-things', topicAt('hostile widths'), 'article.msg'),
    screen('empty', '#inbox', '.conv, .empty'),
  ],
}
