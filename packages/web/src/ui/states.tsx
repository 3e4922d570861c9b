import { type ReactNode, useEffect, useState } from 'react'
import { errorText } from '../platform/error-text.ts'
import { t } from '../platform/i18n.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** Lines in place of content that is on its way. They appear only if it takes a while. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return <div className="skeleton" role="status" aria-label={t('common.loading')} />
  return (
    <div className="skeleton" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="skeleton-row">
          <i />
          <div>
            <u />
            <u />
          </div>
        </div>
      ))}
    </div>
  )
}

interface EmptyProps {
  icon: IconName
  title: string
  /** The screen has no other heading. */
  isWholeScreen?: boolean
  children?: ReactNode
}

export function Empty({ icon, title, isWholeScreen = false, children }: EmptyProps) {
  const Title = isWholeScreen ? 'h1' : 'p'
  return (
    <div className="empty">
      <Icon name={icon} size="l" />
      <Title>{title}</Title>
      {children}
    </div>
  )
}

/** What failed, in place, with a way to try again. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div className="empty" role="alert">
      <Icon name="alert" size="l" />
      <p>
        <b>{t('error.notLoaded')}</b> {errorText(error)}
      </p>
      {onRetry && (
        <Button look="outline" icon="refresh" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </div>
  )
}
