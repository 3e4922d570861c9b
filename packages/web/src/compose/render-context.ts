import type { Slices } from '@parley/client/store/store'
import type { RenderContext } from '@parley/markdown/context'

/** What the text may refer to. Only names that occur in it, because it is copied to the worker on every pause. */
export function renderContext(
  store: Slices<'channels' | 'emoji' | 'groups' | 'preferences' | 'users'>,
  content: string,
): RenderContext {
  const text = content.toLowerCase()
  const occurs = (name: string) => text.includes(name.toLowerCase())
  const channels = [...store.channels.subscribed.values(), ...store.channels.neverSubscribed.values()]
  const custom = Object.values(store.emoji.snapshot().realm_emoji ?? {})
  return {
    users: text.includes('@')
      ? mentionable(store).filter((user) => occurs(user.full_name) || occurs(`|${user.id}**`))
      : [],
    groups: text.includes('@')
      ? [...store.groups.byId.values()].filter(({ name }) => occurs(name)).map(({ id, name }) => ({ id, name }))
      : [],
    channels: channels
      .filter(({ name }) => occurs(`#**${name}`))
      .map(({ stream_id, name }) => ({ id: stream_id, name })),
    customEmoji: custom
      .filter(({ name, deactivated }) => !deactivated && occurs(`:${name}:`))
      .map(({ name, source_url }) => ({ name, source_url })),
    realmUrl: String(store.settings.realm_url ?? ''),
    translateEmoticons: store.preferences.get('translate_emoticons') === true,
    previews: false,
  }
}

function mentionable({ users }: Slices<'users'>) {
  return [...users.byId.values()].map(({ user_id, full_name, is_active }) => ({ id: user_id, full_name, is_active }))
}
