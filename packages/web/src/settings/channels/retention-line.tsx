import { type ReactNode, useState } from 'react'
import type { Explanation } from '../../permissions/why.ts'
import { t } from '../../platform/i18n.ts'
import { useSession } from '../../session/context.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Choice, SelectLine } from '../choices.tsx'
import { ConfirmDialog } from '../confirm.tsx'
import { reasonOf } from '../saving.ts'

interface RetentionProps<T> {
  detail?: ReactNode
  value: T
  choices: readonly Choice<T>[]
  mayNot: Explanation | undefined
  /** How many days a choice means; -1 for ever. */
  daysOf: (value: T) => number
  /** Of a channel; without, the whole organization. */
  streamId?: number
  onChange: (value: T) => void
}

interface Change<T> {
  value: T
  days: number
  count: number
}

/** How long messages are kept. Before messages are deleted because of it, it asks and says how many. */
export function RetentionLine<T extends string | number>({ daysOf, streamId, onChange, ...select }: RetentionProps<T>) {
  const { client } = useSession()
  const [change, setChange] = useState<Change<T>>()
  const choose = async (value: T) => {
    const [days, before] = [daysOf(value), daysOf(select.value)]
    if (days === -1 || (before !== -1 && days >= before)) return onChange(value)
    try {
      const channel = streamId !== undefined && { stream_id: streamId }
      const { count } = await client.call('countExpiredMessages', { message_retention_days: days, ...channel })
      setChange({ value, days, count })
    } catch (error) {
      showToast({ text: reasonOf(error), isError: true })
    }
  }
  return (
    <>
      <SelectLine label={t('retention.label')} {...select} onChange={(value) => void choose(value)} />
      {change && (
        <ConfirmDialog
          label={t('retention.confirm')}
          question={t('retention.question', { days: change.days })}
          explanation={t('retention.consequence', { count: change.count })}
          onConfirm={() => onChange(change.value)}
          onClose={() => setChange(undefined)}
        />
      )}
    </>
  )
}
