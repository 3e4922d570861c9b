import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'

/** By how many characters a text is longer than a message may be. The server would cut it off. */
export function excessOf(text: string, most: number): number {
  if (text.length <= most) return 0
  return Math.max(0, [...text].length - most)
}

/** Whether the text fits into a message, and what to show if it does not. */
export function useLength(text: string) {
  const most = Number(useSlices().settings.max_message_length)
  const excess = excessOf(text.trim(), most)
  return {
    isTooLong: excess > 0,
    line: <div role="status">{excess > 0 && <p className="warning">{t('warning.tooLong', { excess, most })}</p>}</div>,
  }
}
