import type { RenderContext } from './context.ts'
import { render } from './render.ts'

/** A small realm for examples. */
export const garden: RenderContext = {
  realmUrl: 'https://garden.example',
  users: [
    { id: 12, full_name: 'Ada Byron', is_active: true },
    { id: 13, full_name: 'Charles Babbage', is_active: false },
  ],
  groups: [
    { id: 7, name: 'designers' },
    { id: 8, name: 'retired', deactivated: true },
    { id: 4, name: 'role:members' },
  ],
  channels: [{ id: 9, name: 'garden club' }],
  topics: [
    { channel: 'garden club', topic: 'roses', message_id: 214 },
    { channel: 'garden club', topic: '', message_id: 215 },
  ],
  customEmoji: [{ name: 'parrot', source_url: '/user_avatars/2/emoji/images/1a2b.png' }],
  linkifiers: [{ pattern: '#(?P<id>[0-9]+)', url_template: 'https://t.example/{id}' }],
}

/** The HTML of a text. */
export function html(text: string, context: RenderContext = garden): string {
  return render(text, context).html
}
