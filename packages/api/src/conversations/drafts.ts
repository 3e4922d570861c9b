import { type Static, Type } from 'typebox'
import { id, truncatedText } from '../common.ts'
import { listLimits } from '../limits.ts'
import { operation } from '../operation.ts'

const draftFields = {
  type: Type.Enum(['', 'private', 'stream']),
  to: Type.Array(id, { maxItems: listLimits.usual }),
  topic: truncatedText,
  content: truncatedText,
}
const newDraft = Type.Object(
  { ...draftFields, timestamp: Type.Optional(Type.Number({ minimum: 0, maximum: 100_000_000_000 })) },
  { additionalProperties: false },
)
export type NewDraft = Static<typeof newDraft>

export const draft = Type.Object({ id: Type.Integer(), ...draftFields, timestamp: Type.Integer() })
export type DraftObject = Static<typeof draft>

const tag = 'Drafts'
const pathParams = { draft_id: id }

export const getDrafts = operation({
  name: 'getDrafts',
  method: 'GET',
  path: '/drafts',
  access: 'user',
  tag,
  summary: "List the caller's drafts, least recently edited first.",
  response: { count: Type.Integer(), drafts: Type.Array(draft) },
})

export const createDrafts = operation({
  name: 'createDrafts',
  method: 'POST',
  path: '/drafts',
  access: 'user',
  tag,
  summary: 'Create drafts.',
  params: { drafts: Type.Array(newDraft, { maxItems: listLimits.usual }) },
  response: { ids: Type.Array(Type.Integer()) },
})

export const editDraft = operation({
  name: 'editDraft',
  method: 'PATCH',
  path: '/drafts/{draft_id}',
  access: 'user',
  tag,
  summary: 'Update a draft.',
  pathParams,
  params: { draft: newDraft },
})

export const deleteDraft = operation({
  name: 'deleteDraft',
  method: 'DELETE',
  path: '/drafts/{draft_id}',
  access: 'user',
  tag,
  summary: 'Delete a draft.',
  pathParams,
})
