import { lookup } from '@parley/api/lookup'
import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from '../platform/http/api-error.ts'

const text = Type.String()
const number = Type.Integer({ minimum: 0, maximum: 1000 })

function act<Fields extends TProperties>(fields: Fields, authorOnly = false) {
  return { check: Compile(Type.Object({ type: text, ...fields }, { additionalProperties: false })), authorOnly }
}

/** What people can do with each kind of widget. */
const acts: Record<string, Record<string, ReturnType<typeof act>>> = {
  poll: {
    new_option: act({ option: text, idx: number }),
    question: act({ question: text }, true),
    vote: act({ key: text, vote: Type.Enum([1, -1]) }),
  },
  todo: {
    new_task: act({ key: number, task: text, desc: text, completed: Type.Boolean() }),
    strike: act({ key: text }),
    new_task_list_title: act({ title: text }, true),
  },
}

/** The type of the widget that a message's first submessage makes it. */
export function widgetType(content: string): string | undefined {
  const data = parse(content)
  return typeof data.widget_type === 'string' ? data.widget_type : undefined
}

/** Throws unless the content is something that one, or only its author, can do with the widget. */
export function checkAct(type: string | undefined, content: string, isAuthor: boolean): void {
  const data = parse(content)
  const known = type === undefined ? undefined : lookup(acts, type)
  if (!known) return
  const chosen = typeof data.type === 'string' ? lookup(known, data.type) : undefined
  if (!chosen) throw new ApiError(`Unknown type for ${type} data: ${String(data.type)}`)
  if (!chosen.check.Check(data)) throw new ApiError(`Invalid ${type} data`)
  if (chosen.authorOnly && !isAuthor) throw new ApiError(`Only the author can change this of a ${type}.`)
}

function parse(content: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(content)
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Record<string, unknown>
  } catch {
    // Refused below, like any other content that is no object.
  }
  throw new ApiError('Invalid json for submessage')
}
