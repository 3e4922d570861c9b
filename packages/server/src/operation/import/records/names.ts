import type { RenderContext } from '@parley/markdown/context'
import type { ChannelPlace, Person, Run } from '../run.ts'
import type { Names } from '../source.ts'

/**
 * How names are written in a text of `author` in `place`, and what is needed to render it. Channels are linked only if they
 * are public, or the author is in them.
 */
export function namesFor(
  run: Run,
  place: string,
  author: string | undefined,
): { names: Names; context: () => RenderContext } {
  const people = new Set<Person>()
  const channels = new Set<ChannelPlace>()
  const names: Names = {
    user: (key) => {
      const person = run.people.get(key)
      if (person) people.add(person)
      return person && `@_**${person.fullName}|${person.id}**`
    },
    channel: (key) => {
      const channel = run.channels.get(key)
      if (!channel || /[*>]/.test(channel.name)) return undefined
      if (channel.isPrivate && key !== place && !run.members.has(`${author} ${key}`)) return undefined
      channels.add(channel)
      return `#**${channel.name}**`
    },
  }
  const context = (): RenderContext => ({
    users: [...people].map(({ id, fullName, isActive }) => ({ id, full_name: fullName, is_active: isActive })),
    channels: [...channels].map(({ id, name }) => ({ id, name })),
    linkifiers: run.realm.linkifiers,
    previews: run.realm.settings.inline_image_preview,
  })
  return { names, context }
}
