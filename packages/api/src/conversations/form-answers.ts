import type { ActionAnswers, ActionForm, FormField } from './action-widgets.ts'

/** What is wrong with the answers to a form; undefined: nothing. For the server and for clients. */
export function problemWith({ fields }: ActionForm, answers: ActionAnswers): string | undefined {
  const values = new Map(Object.entries(answers))
  const unknown = [...values.keys()].find((one) => !fields.some((known) => known.name === one))
  if (unknown !== undefined) return `The form has no field ${unknown}.`
  return fields.map((one) => problemOf(one, values.get(one.name))).find((problem) => problem !== undefined)
}

const isValid: Record<FormField['type'], (value: unknown, field: FormField) => boolean> = {
  text: (value) => typeof value === 'string',
  select: (value, one) => one.options?.some((option) => option.value === value) === true,
  users: (value) => Array.isArray(value),
  date: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  checkbox: (value) => typeof value === 'boolean',
}

function problemOf(one: FormField, value: unknown): string | undefined {
  const isEmpty = value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)
  if (isEmpty) return one.required ? `${one.label} is required.` : undefined
  return isValid[one.type](value, one) ? undefined : `${one.label} has an invalid value.`
}
