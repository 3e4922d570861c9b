import { lookup } from '@parley/api/lookup'
import { type Html, html, say, type Text } from '../../platform/html.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { icon } from './icons.ts'
import type { Page } from './layout.ts'

/** What was wrong with a form, by the name of the field; `form` is about the whole. */
export type FormErrors = Record<string, string>

/** A value in a form was refused. */
export class FieldError extends ApiError {
  readonly field: string

  constructor(field: string, { message, code, status, headers }: ApiError) {
    super(message, code, { status, headers })
    this.field = field
  }
}

/** Runs a check of one field, so that its error is shown next to it. */
export async function inField<T>(field: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    throw error instanceof ApiError ? new FieldError(field, error) : error
  }
}

/** Handles a sent form. If it is refused, shows it again with the error in place. */
export async function orShowAgain<T>(work: () => Promise<T>, form: (errors: FormErrors) => Page): Promise<T | Page> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const field = error instanceof FieldError ? error.field : 'form'
    return { ...form({ [field]: error.message }), status: error.status }
  }
}

export interface FieldOptions {
  name: string
  label: Text
  type?: 'text' | 'email' | 'password' | 'url'
  /** What the user typed before. Never pass a password. */
  value?: string | undefined
  errors?: FormErrors
  hint?: Text | undefined
  autocomplete?: string
  /** Shown at the other end of the line of the label, such as a link. */
  aside?: Html
  isOptional?: boolean
  maxLength?: number
  /** Focused when the page opens, unless another field has an error. */
  autofocus?: boolean
  /** Asks the server how strong the typed password is. */
  hasMeter?: boolean
}

/** Longer values are not shown again: anybody can send them, and one `"` becomes six characters. */
const longestValue = 1000

/** A labelled input with its hint and its error. */
export function field({ name, label, type = 'text', errors = {}, ...options }: FieldOptions): Html {
  const { hint, autocomplete, aside, isOptional, maxLength, autofocus, hasMeter } = options
  const value = options.value?.slice(0, longestValue)
  const error = lookup(errors, name)
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`, hasMeter && `${name}-meter`].filter(Boolean)
  const isFocused = error !== undefined || (autofocus && Object.keys(errors).length === 0)
  return html`<div class="field">
<div class="label"><label for="${name}">${label}</label>${aside}</div>
<input id="${name}" name="${name}" type="${type}"${value !== undefined && html` value="${value}"`}${
    autocomplete !== undefined && html` autocomplete="${autocomplete}"`
  }${maxLength !== undefined && html` maxlength="${maxLength}"`}${!isOptional && html` required`}${
    isFocused && html` autofocus`
  }${error !== undefined && html` aria-invalid="true"`}${
    describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`
  }>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${hasMeter && html`<p class="meter" id="${name}-meter" data-meter="${name}" aria-live="polite" hidden></p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${icon('alert', 's')}${say(error)}</p>`}
</div>`
}

export function checkbox(
  name: string,
  label: Text,
  { checked = false, hint }: { checked?: boolean; hint?: Text },
): Html {
  return html`<div class="check">
<input id="${name}" name="${name}" type="checkbox" value="true"${checked && html` checked`}${
    hint !== undefined && html` aria-describedby="${name}-hint"`
  }>
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`
}

/** An error about the whole form. */
export function formError(errors: FormErrors = {}): Html {
  return errors.form === undefined
    ? html``
    : html`<p class="notice danger" role="alert">${icon('alert')}<span>${say(errors.form)}</span></p>`
}

export function success(text: Text | Html): Html {
  return html`<p class="notice good">${icon('check')}<span>${text}</span></p>`
}

export function submit(label: Text): Html {
  return html`<button class="button primary">${label}</button>`
}
