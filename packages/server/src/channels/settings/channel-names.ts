import { ApiError } from '../../platform/http/api-error.ts'
import { foldCase, isPrintable, lengthOf } from '../../platform/text.ts'

const maxNameLength = 60
const maxDescriptionLength = 1024

export function checkChannelName(name: string): string {
  const text = name.trim()
  if (text === '') throw new ApiError('Channel name is missing.')
  if (lengthOf(text) > maxNameLength) throw new ApiError(`Channel names can have at most ${maxNameLength} characters.`)
  if (!isPrintable(text)) throw new ApiError('Channel names cannot contain unprintable characters.')
  return text
}

export function checkDescription(description: string): string {
  const text = description.trim().replace(/\s*[\r\n]+\s*/g, ' ')
  if (lengthOf(text) > maxDescriptionLength)
    throw new ApiError(`Channel descriptions can have at most ${maxDescriptionLength} characters.`)
  return text
}

export function channelKey(name: string): string {
  return foldCase(name.trim())
}
