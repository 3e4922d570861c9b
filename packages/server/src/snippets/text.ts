import { maxMessageLength } from '@parley/api/common'
import { ApiError } from '../platform/http/api-error.ts'
import { lengthOf } from '../platform/text.ts'

const maxTitleLength = 60

export function checkTitle(title: string): string {
  return checked('Title', title, maxTitleLength)
}

export function checkContent(content: string): string {
  return checked('Content', content, maxMessageLength)
}

function checked(what: string, given: string, most: number): string {
  const text = given.trim()
  if (text === '') throw new ApiError(`${what} cannot be blank.`)
  if (lengthOf(text) > most) throw new ApiError(`${what} is too long (at most ${most} characters).`)
  return text
}
