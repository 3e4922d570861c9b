import { lookup } from '@parley/api/lookup'
import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from '../../platform/http/api-error.ts'

const text = Type.String()
const number = Type.Integer({ minimum: 0, maximum: 1000 })

function action<Fields extends TProperties>(fields: Fields, authorOnly = false) {
  return { check: Compile(Type.Object({ type: text, ...fields }, { additionalProperties: false })), authorOnly }
}

/** The actions that each kind of widget supports. */
const actions: Record<string, Record<string, ReturnType<typeof action>>> = {
  poll: {
    new_option: action({ option: text, idx: number }),
    question: action({ question: text }, true),
    vote: action({ key: text, vote: Type.Enum([1, -1]) }),
  },
  /** They are pressed by an operation of their own, which checks who may. */
  actions: {},
  todo: {
    new_task: action({ key: number, task: text, desc: text, completed: Type.Boolean() }),
    strike: action({ key: text }),
    new_task_list_title: action({ title: text }, true),
  },
}

/** The widget type that a message's first submessage defines. */
export function widgetType(content: string): string | undefined {
  const data = parse(content)
  return typeof data.widget_type === 'string' ? data.widget_type : undefined
}

/** Throws unless the content is a valid action for the widget, and the user may do it. */
export function checkAct(type: string | undefined, content: string, isAuthor: boolean): void {
  const data = parse(content)
  const supported = type === undefined ? undefined : lookup(actions, type)
  if (!supported) return
  const selected = typeof data.type === 'string' ? lookup(supported, data.type) : undefined
  if (!selected)
    throw new ApiError(
      `Unknown type for ${type} data: ${typeof data.type === 'object' ? JSON.stringify(data.type) : String(data.type)}`,
    )
  if (!selected.check.Check(data)) throw new ApiError(`Invalid ${type} data`)
  if (selected.authorOnly && !isAuthor) throw new ApiError(`Only the author of a ${type} can make this change.`)
}

function parse(content: string): Record<string, unknown> {
  try {
    const data: unknown = JSON.parse(content)
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Record<string, unknown>
  } catch {
    // Refused below, like any other content that is not a JSON object.
  }
  throw new ApiError('Invalid json for submessage')
}
