import { Type } from 'typebox'
import { id, shortText, text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

export const savedSnippet = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  content: Type.String(),
  date_created: Type.Integer(),
})

const tag = 'Snippets'
const title = shortText
const content = text(textLimits.snippet)
const pathParams = { saved_snippet_id: id }

export const getSavedSnippets = operation({
  name: 'getSavedSnippets',
  method: 'GET',
  path: '/saved_snippets',
  access: 'user',
  tag,
  summary: "List the caller's saved snippets, oldest first.",
  response: { saved_snippets: Type.Array(savedSnippet) },
})

export const createSavedSnippet = operation({
  name: 'createSavedSnippet',
  method: 'POST',
  path: '/saved_snippets',
  access: 'user',
  tag,
  summary: 'Create a saved snippet.',
  params: { title, content },
  response: { saved_snippet_id: Type.Integer() },
})

export const editSavedSnippet = operation({
  name: 'editSavedSnippet',
  method: 'PATCH',
  path: '/saved_snippets/{saved_snippet_id}',
  access: 'user',
  tag,
  summary: 'Update the title or the content of a saved snippet.',
  pathParams,
  params: { title: Type.Optional(title), content: Type.Optional(content) },
})

export const deleteSavedSnippet = operation({
  name: 'deleteSavedSnippet',
  method: 'DELETE',
  path: '/saved_snippets/{saved_snippet_id}',
  access: 'user',
  tag,
  summary: 'Delete a saved snippet.',
  pathParams,
})
