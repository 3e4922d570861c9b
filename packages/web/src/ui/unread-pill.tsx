import { t } from '../platform/i18n.ts'

/** The number of unread messages, which a screen reader hears as "3 unread". */
export function UnreadPill({ count, look = '' }: { count: number; look?: string }) {
  return (
    <span className={`pill ${look}`} role="img" aria-label={t('inbox.unread', { count })}>
      {count}
    </span>
  )
}
