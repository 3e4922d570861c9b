import { isDeepStrictEqual } from 'node:util'
import type { Rendered } from '@parley/markdown/render'
import type { Caller } from '../../../callers/caller.ts'
import type { RealmState } from '../../../callers/realm-state.ts'
import type { Context } from '../../../context.ts'
import { type FoundUser, findUser } from '../../../people/users/find-users.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { Submessage } from '../model/submessages.ts'
import { guestsWhoCannotSee } from '../model/unknown-senders.ts'
import { resolveReferences } from '../rendering/references.ts'
import { attentionOf } from './attention.ts'
import type { PreparedMessage } from './committer.ts'
import { accessMentions, type Mentioned, nobody } from './mentions.ts'
import type { NoticeMode } from './notice-mode.ts'
import { type Draft, prepare } from './prepare.ts'
import { type Trigger, triggersOf } from './webhook-triggers.ts'

export type RenderDeps = { db: Db } & Pick<Context, 'renderer'>

type Options = Pick<
  Draft,
  | 'destination'
  | 'content'
  | 'rendered'
  | 'client'
  | 'readBySender'
  | 'accessVersion'
  | 'echo'
  | 'claimId'
  | 'widget'
  | 'mode'
>

/** A message before its mentions and flags are computed. */
export interface Source extends Options {
  state: RealmState
  sender: FoundUser
  /** The user whose permissions apply to mentions; absent for notices, which mention nobody. */
  author?: Caller
  /** Users who get it as read, because it reports what they did. */
  doers?: number[]
}

export interface Composed {
  prepared: PreparedMessage
  rendered: Rendered
  mentioned: Mentioned
  /** Outgoing webhooks that it triggers. */
  triggers: Trigger[]
  widget: Submessage | undefined
  mode?: NoticeMode | undefined
}

/** Computes mentions, flags and audience, and checks that the author may mention these users. Builds every message. */
export async function composeMessage(db: Db, source: Source): Promise<Composed> {
  const { state, author, doers, sender, destination, content, rendered, widget, mode } = source
  const mentioned = author ? await accessMentions(db, author, destination, rendered) : nobody
  const attention = await attentionOf(db, state, sender.id, destination, content, doers)
  const hiddenFrom =
    author && destination.kind === 'channel' ? await guestsWhoCannotSee(db, author, destination.channel.id) : []
  const prepared = prepare({ ...source, realm: state.realm, mentioned, attention, strangers: hiddenFrom })
  const triggers = author ? triggersOf(author, destination, mentioned) : []
  return { prepared, rendered, mentioned, triggers, widget, mode }
}

/** Composes a message that a user or a bot writes. */
export async function composeAs(db: Db, author: Caller, options: Options): Promise<Composed> {
  const sender = await findUser(db, author.state, author.id)
  return composeMessage(db, { ...options, state: author.state, sender: sender!, author })
}

/** Renders a user's text. It can refer only to what its author may see. */
export async function renderAs(
  deps: RenderDeps,
  author: Caller,
  content: string,
  realmUrl?: string,
  earlier?: Rendering,
): Promise<Rendered> {
  return (await renderingAs(deps, author, content, realmUrl, earlier)).rendered
}

/** A rendered text, with what it refers to. */
export interface Rendering {
  references: Awaited<ReturnType<typeof resolveReferences>>
  rendered: Rendered
}

/** Uses an earlier rendering of the same text if all that it refers to is the same: rendering can take seconds. */
export async function renderingAs(
  { db, renderer }: RenderDeps,
  author: Caller,
  content: string,
  realmUrl?: string,
  earlier?: Rendering,
): Promise<Rendering> {
  const references = await resolveReferences(db, author, content, realmUrl)
  if (earlier && isDeepStrictEqual(earlier.references, references)) return earlier
  return { references, rendered: await renderer.render(author, content, references) }
}
