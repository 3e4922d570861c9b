import type { PlaygroundObject } from '@parley/api/organization/linkifiers'
import { templateVariables } from '@parley/markdown/references/uri-template'
import type { Caller } from '../../callers/caller.ts'
import type { Tx } from '../../events/transact.ts'
import { matches } from '../../platform/db/matches.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'
import { checkSharedLimit } from '../realms/snapshot-limits.ts'
import { storeSettings } from '../realms/update-realm.ts'
import { listPlaygrounds } from './queries.ts'

type NewPlayground = Omit<PlaygroundObject, 'id'>

const maxLanguageLength = 40
const maxNameLength = 100
/** Languages of code blocks that do not contain code. */
const noLanguages = ['latex', 'math', 'quote', 'spoiler']

function checkPlayground(params: NewPlayground): NewPlayground {
  const name = params.name.trim()
  const pygments_language = params.pygments_language.trim()
  const url_template = params.url_template.trim()
  if (name === '' || lengthOf(name) > maxNameLength) throw new ApiError('Invalid playground name')
  const isLanguage = /^[a-zA-Z0-9_+\-./#]+$/.test(pygments_language) && pygments_language.length <= maxLanguageLength
  if (!isLanguage || noLanguages.includes(pygments_language.toLowerCase()))
    throw new ApiError('Invalid characters in pygments language')
  const variables = templateVariables(url_template)
  if (!variables || !/^https?:\/\//i.test(url_template)) throw new ApiError('Invalid URL template.')
  if (variables.length !== 1 || variables[0] !== 'code')
    throw new ApiError('The URL template must have the variable "code" and no other.')
  return { name, pygments_language, url_template }
}

/** The caller must hold the lock of the organization (accessOrganization), which serializes changes of playgrounds. */
export async function addPlayground(tx: Tx, actor: Caller, params: NewPlayground): Promise<number> {
  const playground = checkPlayground(params)
  const row = await tx.db
    .insertInto('playgrounds')
    .values({ realm_id: tx.realmId, ...playground })
    .onConflict((conflict) => conflict.columns(['realm_id', 'pygments_language', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new ApiError('Realm playground with this name and language already exists.')
  await checkSharedLimit(tx, 'playgrounds')
  await emitAndAudit(tx, actor, 'playground_added', { playground_id: row.id, ...playground })
  return row.id
}

/** Also resets the default code block language if it is that of the playground. */
export async function removePlayground(tx: Tx, actor: Caller, id: number): Promise<void> {
  const row = await tx.db
    .deleteFrom('playgrounds')
    .where(matches({ realm_id: tx.realmId, id }))
    .returning('pygments_language')
    .executeTakeFirst()
  if (!row) throw new ApiError('Invalid playground')
  if (actor.realm.settings.default_code_block_language === row.pygments_language)
    await storeSettings(tx, actor.realm, { default_code_block_language: '' })
  await emitAndAudit(tx, actor, 'playground_removed', { playground_id: id })
}

async function emitAndAudit(tx: Tx, actor: Caller, action: string, target: object): Promise<void> {
  const realm_playgrounds = await listPlaygrounds(tx.db, tx.realmId)
  tx.emit({ type: 'realm_playgrounds', realm_playgrounds }, { realm: 'everyone' })
  await tx.audit(actor.id, action, target)
}
