import { nameLimits } from '@parley/api/limits'
import { ApiError } from '../../platform/http/api-error.ts'
import { isPrintable, lengthOf } from '../../platform/text.ts'

const { folder: maxFolderNameLength, folderDescription: maxFolderDescriptionLength } = nameLimits

export function checkFolderName(name: string): string {
  const text = name.trim()
  if (text === '') throw new ApiError("Channel folder name can't be empty.")
  if (lengthOf(text) > maxFolderNameLength)
    throw new ApiError(`Channel folder name is too long (limit: ${maxFolderNameLength} characters).`)
  if (!isPrintable(text)) throw new ApiError('Channel folder name contains unprintable characters.')
  return text
}

export function checkFolderDescription(description: string): string {
  const text = description.trim()
  if (lengthOf(text) > maxFolderDescriptionLength)
    throw new ApiError(`Channel folder description is too long (limit: ${maxFolderDescriptionLength} characters).`)
  return text
}
