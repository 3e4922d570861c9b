import { ApiError } from '../platform/http/api-error.ts'
import { isPrintable, lengthOf } from '../platform/text.ts'

const emailPattern = /^[^\s@"'<>()[\],;:\\]+@[^\s@"'<>()[\],;:\\]+$/

export function checkEmail(email: string): string {
  const text = email.trim()
  if (text.length > 254 || !emailPattern.test(text)) throw new ApiError('Invalid email address')
  return text
}

export function checkFullName(name: string): string {
  const text = name.trim()
  if (lengthOf(text) < 2) throw new ApiError('Name too short!')
  if (lengthOf(text) > 100) throw new ApiError('Name too long!')
  if (!isPrintable(text) || /[*`\\>"@]/.test(text)) throw new ApiError('Invalid characters in name!')
  if (/\|\d+$/.test(text)) throw new ApiError('Invalid format!')
  return text
}
