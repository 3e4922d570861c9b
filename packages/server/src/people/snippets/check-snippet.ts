import { maxMessageLength } from '@parley/api/common'
import { nameLimits } from '@parley/api/limits'
import { ApiError } from '../../platform/http/api-error.ts'
import { lengthOf } from '../../platform/text.ts'

export function checkTitle(title: string): string {
  return checked('Title', title, nameLimits.snippet)
}

export function checkContent(content: string): string {
  return checked('Content', content, maxMessageLength)
}

function checked(field: string, value: string, maxLength: number): string {
  const text = value.trim()
  if (text === '') throw new ApiError(`${field} cannot be blank.`)
  if (lengthOf(text) > maxLength) throw new ApiError(`${field} is too long (at maxLength ${maxLength} characters).`)
  return text
}
