import type { HookObject } from '@parley/api/delivery/hooks'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { Rendered } from '../../rendered/rendered.tsx'
import { useSession } from '../../session/context.tsx'
import { Card } from '../controls.tsx'
import { Field, Form } from '../fields.tsx'
import { reasonOf, saveForm } from '../saving.ts'

interface FormProps {
  hook: HookObject
  /** A payload of the log, from which the template is made. */
  example: string | undefined
  onSaved: () => void
}

/** The owner's own templates, with what they make of an example. */
export function TemplateForm({ hook, example, onSaved }: FormProps) {
  const { client } = useSession()
  const { text_template = '', topic_template = '', filter = '', update_key = '', dedup_key = '' } = hook.options
  const [values, setValues] = useState({ text_template, topic_template, filter, update_key, dedup_key })
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (example !== undefined) card.current?.scrollIntoView({ block: 'start' })
  }, [example])
  const input = (name: keyof typeof values) => ({
    className: 'text-input',
    value: values[name],
    onChange: ({ target }: { target: { value: string } }) => setValues({ ...values, [name]: target.value }),
  })
  const send = () =>
    saveForm(() => client.call('updateHook', { path: { hook_id: hook.id }, ...values })).then((refused) => {
      if (refused === undefined) onSaved()
      return refused
    })
  return (
    <div ref={card}>
      <Card title={t('hooks.template')} text={t('hooks.template.text')}>
        <Form button={t('common.save')} onSend={send}>
          <Field label={t('hooks.textTemplate')}>
            {(id) => <textarea id={id} rows={5} spellCheck={false} {...input('text_template')} />}
          </Field>
          <div className="form-row">
            <Field label={t('hooks.topicTemplate')}>{(id) => <input id={id} {...input('topic_template')} />}</Field>
            <Field label={t('hooks.filter')} hint={t('hooks.filter.hint')}>
              {(id) => <input id={id} {...input('filter')} />}
            </Field>
          </div>
          <div className="form-row">
            <Field label={t('hooks.updateKey')} hint={t('hooks.updateKey.hint', { example: '{{ id }}' })}>
              {(id) => <input id={id} {...input('update_key')} />}
            </Field>
            <Field label={t('hooks.dedupKey')} hint={t('hooks.dedupKey.hint', { example: '{{ error }}' })}>
              {(id) => <input id={id} {...input('dedup_key')} />}
            </Field>
          </div>
          {example !== undefined && <Preview integration={hook.integration} payload={example} values={values} />}
        </Form>
      </Card>
    </div>
  )
}

interface PreviewProps {
  integration: string
  payload: string
  values: Record<string, string>
}

const pauseMilliseconds = 300

/** What the templates make of the payload, rendered by the server a moment after the last key. */
function Preview({ integration, payload, values }: PreviewProps) {
  const { client } = useSession()
  const [shown, setShown] = useState<{ topic?: string | null; rendered?: string | null; error?: string | null }>({})
  const key = JSON.stringify(values)
  useEffect(() => {
    let isStale = false
    const show = (result: typeof shown) => isStale || setShown(result)
    const timer = setTimeout(() => {
      const params = { integration, payload, ...(JSON.parse(key) as typeof values) }
      client.call('previewHook', params).then(show, (error: unknown) => show({ error: reasonOf(error) }))
    }, pauseMilliseconds)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [client, integration, payload, key])
  return (
    <div className="hook-preview" role="status" aria-label={t('hooks.preview')}>
      <b>{shown.topic ?? t('hooks.preview')}</b>
      {shown.error && <p className="problem">{shown.error}</p>}
      {shown.rendered && <Rendered html={shown.rendered} />}
    </div>
  )
}
