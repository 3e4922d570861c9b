import { type Static, Type } from 'typebox'
import { id, nullable, shortText, text } from '../common.ts'
import { listLimits, textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

export const linkifier = Type.Object({
  id: Type.Integer(),
  pattern: Type.String(),
  url_template: Type.String(),
  example_input: nullable(Type.String()),
})
export type LinkifierObject = Static<typeof linkifier>

export const playground = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  pygments_language: Type.String(),
  url_template: Type.String(),
})
export type PlaygroundObject = Static<typeof playground>

const tag = 'Organization'
const pathParams = { filter_id: id }
const params = {
  pattern: Type.String({ maxLength: 1000 }),
  url_template: text(textLimits.url),
  example_input: Type.Optional(Type.String({ maxLength: 1000 })),
}

export const getLinkifiers = operation({
  name: 'getLinkifiers',
  method: 'GET',
  path: '/realm/linkifiers',
  access: 'user',
  tag,
  summary: 'List the linkifiers, in order.',
  response: { linkifiers: Type.Array(linkifier) },
})

export const addLinkifier = operation({
  name: 'addLinkifier',
  method: 'POST',
  path: '/realm/filters',
  access: 'admin',
  tag,
  summary: 'Add a linkifier: text that matches its pattern becomes a link.',
  params,
  response: { id: Type.Integer() },
})

export const updateLinkifier = operation({
  name: 'updateLinkifier',
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  access: 'admin',
  tag,
  summary: 'Update a linkifier.',
  pathParams,
  params,
})

export const removeLinkifier = operation({
  name: 'removeLinkifier',
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  access: 'admin',
  tag,
  summary: 'Delete a linkifier.',
  pathParams,
})

export const reorderLinkifiers = operation({
  name: 'reorderLinkifiers',
  method: 'PATCH',
  path: '/realm/linkifiers',
  access: 'admin',
  tag,
  summary: 'Reorder the linkifiers.',
  params: { ordered_linkifier_ids: Type.Array(id, { maxItems: listLimits.usual }) },
})

export const addPlayground = operation({
  name: 'addPlayground',
  method: 'POST',
  path: '/realm/playgrounds',
  access: 'admin',
  tag,
  summary: 'Add a code playground for a language.',
  params: { name: shortText, pygments_language: shortText, url_template: text(textLimits.url) },
  response: { id: Type.Integer() },
})

export const removePlayground = operation({
  name: 'removePlayground',
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  access: 'admin',
  tag,
  summary: 'Delete a code playground.',
  pathParams: { playground_id: id },
})
