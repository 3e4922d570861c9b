import { nameLimits } from '@parley/api/limits'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Card, Line } from './controls.tsx'
import { Field, Form } from './fields.tsx'
import { save, saveForm } from './saving.ts'

export function AlertWordsPage() {
  const store = useSlices('alertWords')
  const { client } = useSession()
  const add = (word: string) => client.call('addAlertWords', { alert_words: [word] })
  const remove = (word: string) => client.call('removeAlertWords', { alert_words: [word] })
  const send = async (values: FormData) => {
    const word = String(values.get('word')).trim()
    if (store.alertWords.list.some((one) => one.toLowerCase() === word.toLowerCase())) return t('alertWords.known')
    return saveForm(() => add(word))
  }
  return (
    <Card title={t('alertWords.title')} text={t('alertWords.text')}>
      <Form button={t('common.add')} onSend={send}>
        <Field label={t('alertWords.new')}>
          {(id) => (
            <input
              id={id}
              name="word"
              required
              maxLength={nameLimits.alertWord}
              className="text-input"
              placeholder={t('alertWords.example')}
            />
          )}
        </Field>
      </Form>
      {store.alertWords.list.map((word) => (
        <Line key={word} label={word}>
          <Button
            look="outline"
            aria-label={t('common.removeName', { name: word })}
            onClick={() => void save(() => remove(word), { undo: () => add(word), text: t('common.removed') })}
          >
            {t('common.remove')}
          </Button>
        </Line>
      ))}
      {store.alertWords.list.length === 0 && <p className="none-yet">{t('alertWords.none')}</p>}
    </Card>
  )
}
