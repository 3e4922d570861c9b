import { nameLimits } from '@parley/api/limits'
import { hasLookalikes } from '../../../platform/emails.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { isPrintable, lengthOf } from '../../../platform/text.ts'

/** The domain consists of letters, digits and hyphens: other characters mean something else to some mail servers. */
const emailPattern = /^[^\s@"'<>()[\],;:\\]+@[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u

/** Of emails, and so of names to sign in with. */
export const longestEmail = 254

export function checkEmail(email: string): string {
  const text = email.trim()
  if (text.length > longestEmail || !emailPattern.test(text) || hasLookalikes(text))
    throw new ApiError('Invalid email address')
  return text
}

export function checkFullName(name: string): string {
  const text = name.trim()
  if (lengthOf(text) < 2) throw new ApiError('Name too short!')
  if (lengthOf(text) > nameLimits.user) throw new ApiError('Name too long!')
  if (!isPrintable(text) || /[*`\\>"@]/.test(text)) throw new ApiError('Invalid characters in name!')
  if (/\|\d+$/.test(text)) throw new ApiError('Invalid format!')
  return text
}
