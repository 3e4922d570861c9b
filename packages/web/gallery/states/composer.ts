import { everyLook } from '../looks.ts'
import type { Area, State, Step } from '../state.ts'
import {
  asSomeoneElse,
  attach,
  click,
  goOffline,
  labelled,
  press,
  refuse,
  run,
  see,
  stall,
  type,
  write,
} from '../steps.ts'
import { composerField, topicAt } from './places.ts'

const file = (name: string, bytes: number) => ({ name, mimeType: 'image/png', buffer: Buffer.alloc(bytes) })
const composing = (name: string, steps: Step[], shows: string): State => ({
  name,
  at: topicAt('tide model'),
  steps: [see('article.msg'), ...steps],
  shows,
})
/** Made in the browser, because sending it there takes too long. */
const chooseLargeFile = `{
  const input = document.querySelector('.compose input[type=file]')
  const chosen = new DataTransfer()
  chosen.items.add(new File([new Uint8Array(26 * 2 ** 20)], 'pontoon.mov', { type: 'video/quicktime' }))
  input.files = chosen.files
  input.dispatchEvent(new Event('change', { bubbles: true }))
}`
const markup = '**Bold** and $$\\frac{1}{n^2}$$\n\n```js\nconst x = 1\n```\n\n> quoted'

export const composer: Area = {
  name: 'composer',
  states: [
    { ...composing('typed', [type(composerField, 'High water is at 14:22,')], '.compose'), looks: everyLook },
    composing('several-lines', [write(composerField, 'First line\n\n* one\n* two\n\nLast line')], '.compose'),
    composing(
      'preview',
      [write(composerField, markup), click(`.compose ${labelled('compose.preview')}`)],
      '.compose .text strong',
    ),
    composing('completion-person', [type(composerField, 'Ask @')], '[role=option]'),
    composing('completion-channel', [type(composerField, 'See #de')], '[role=option]'),
    composing('completion-emoji', [type(composerField, 'Fine :ta')], '[role=option]'),
    composing('completion-slash', [type(composerField, '/')], '[role=option]'),
    {
      ...composing(
        'emoji-picker',
        [click(`.compose ${labelled('compose.emoji')}`), see('.emoji-grid button')],
        '.emoji-body',
      ),
      looks: everyLook,
    },
    composing(
      'emoji-search',
      [click(`.compose ${labelled('compose.emoji')}`), see('.emoji-grid button'), type('.popover input', 'boat')],
      '.emoji-grid button',
    ),
    composing(
      'uploading',
      [stall('**/api/v1/user_uploads'), attach(file('boat-house.png', 9000), file('second.png', 9000))],
      '.upload progress',
    ),
    composing(
      'upload-refused',
      [
        refuse('**/api/v1/user_uploads', 400, 'File is larger than the allowed maximum upload size.'),
        attach(file('huge.png', 9000)),
      ],
      '.upload-failed',
    ),
    composing(
      'upload-too-large',
      [see('.compose input[type=file]'), run((page) => page.evaluate(chooseLargeFile))],
      '.upload-failed',
    ),
    composing('too-long', [write(composerField, 'y'.repeat(10_003))], '.compose .warning'),

    composing('warning-not-subscribed', [write(composerField, '@**Gil** please read')], '.compose .warning'),
    {
      name: 'warning-resolved',
      at: topicAt('✔ buoy firmware'),
      steps: [type(composerField, 'One more thing')],
      shows: '.compose .warning',
    },
    {
      name: 'may-not-post',
      at: '#narrow/channel/{channel announcements}-announcements/topic/welcome',
      shows: 'article.msg',
    },
    {
      name: 'not-subscribed',
      at: '#narrow/channel/{channel kitchen}-kitchen/topic/lunch',
      as: 'newcomer',
      shows: 'article.msg',
    },
    {
      name: 'needs-topic',
      at: '#narrow/channel/{channel design}-design',
      steps: [see('article.msg'), type('.topic-input', 't')],
      shows: '.compose [role=option]',
    },
    { name: 'new-topic', at: topicAt('a new one'), shows: '.empty' },
    composing(
      'someone-types',
      [
        asSomeoneElse('priya', '/typing', {
          op: 'start',
          type: 'stream',
          stream_id: '{channel design}',
          topic: 'tide model',
        }),
      ],
      '.compose .above :text("Priya")',
    ),
    composing('send-menu', [write(composerField, 'Later'), click(labelled('compose.sendLater'))], '[role=menu]'),
    composing('snippets', [click(`.compose ${labelled('snippets.title')}`)], 'dialog[open]'),
    composing(
      'offline-waiting',
      [goOffline, write(composerField, 'Written offline'), press('Control+Enter')],
      '.offline',
    ),
    composing(
      'selection',
      [
        write(composerField, 'A word in bold'),
        run((page) =>
          page
            .locator('#composer')
            .evaluate((area) =>
              (area as unknown as { setSelectionRange(a: number, b: number): void }).setSelectionRange(2, 6),
            ),
        ),
      ],
      '.compose',
    ),
  ],
}
