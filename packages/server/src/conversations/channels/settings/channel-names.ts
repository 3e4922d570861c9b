import { nameLimits } from '@parley/api/limits'
import { ApiError } from '../../../platform/http/api-error.ts'
import { foldCase, isPrintable, lengthOf } from '../../../platform/text.ts'

const { channel: maxNameLength, channelDescription: maxDescriptionLength } = nameLimits

export function checkChannelName(name: string): string {
  const text = name.trim()
  if (text === '') throw new ApiError('Channel name is missing.')
  if (lengthOf(text) > maxNameLength) throw new ApiError(`Channel names can have at most ${maxNameLength} characters.`)
  if (!isPrintable(text)) throw new ApiError('Channel names cannot contain unprintable characters.')
  return text
}

/** Line breaks become spaces. White space around them does not count, unless there is much of it. */
export function checkDescription(description: string): string {
  const lines = description.length > 4 * maxDescriptionLength ? [description] : description.split(/[\r\n]+/)
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
  if (lengthOf(text) > maxDescriptionLength)
    throw new ApiError(`Channel descriptions can have at most ${maxDescriptionLength} characters.`)
  return text
}

export function channelKey(name: string): string {
  return foldCase(name.trim())
}
