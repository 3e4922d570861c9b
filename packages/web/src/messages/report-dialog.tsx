import type { ReportType } from '@parley/api/conversations/reports'
import { textLimits } from '@parley/api/limits'
import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession } from '../session/context.tsx'
import { named, Select } from '../settings/choices.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { saveForm } from '../settings/saving.ts'
import { Dialog } from '../ui/dialog.tsx'

const reasons = [
  ['spam', 'report.spam'],
  ['harassment', 'report.harassment'],
  ['inappropriate', 'report.inappropriate'],
  ['norms', 'report.norms'],
  ['other', 'report.other'],
] as const

interface ReportProps {
  messageId: number
  onClose: () => void
}

/** Reports a message to the moderators. */
export function ReportDialog({ messageId: message_id, onClose }: ReportProps) {
  const { client } = useSession()
  const [report_type, setType] = useState<ReportType>('spam')
  const send = async (values: FormData) => {
    const description = String(values.get('description')).trim()
    const report = { path: { message_id }, report_type, ...(description && { description }) }
    const problem = await saveForm(() => client.call('reportMessage', report), t('report.sent'))
    if (problem === undefined) onClose()
    return problem
  }
  return (
    <Dialog title={t('report.title')} onClose={onClose}>
      <p className="dialog-text">{t('report.text')}</p>
      <Form button={t('report.send')} onSend={send}>
        <div className="form-field">
          <span>{t('report.reason')}</span>
          <Select label={t('report.reason')} value={report_type} choices={named(reasons)} onChange={setType} />
        </div>
        <Field label={t('report.description')}>
          {(id) => (
            <textarea
              id={id}
              name="description"
              className="text-input"
              rows={3}
              required={report_type === 'other'}
              maxLength={textLimits.reportDescription}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
