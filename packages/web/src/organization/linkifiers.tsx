import type { CallParams } from '@parley/client/wire/calls'
import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Card, Line } from '../settings/controls.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { movedUp, tryLinkifier } from './model.ts'

export function LinkifiersPage() {
  return (
    <>
      <LinkifiersCard />
      <PlaygroundsCard />
    </>
  )
}

function LinkifiersCard() {
  const store = useSlices('organization')
  const { client } = useSession()
  const list = store.organization.linkifiers ?? []
  const ids = list.map(({ id }) => id)
  const add = (params: CallParams<'addLinkifier'>) => client.call('addLinkifier', params)
  const order = (ordered_linkifier_ids: number[]) => client.call('reorderLinkifiers', { ordered_linkifier_ids })
  return (
    <Card title={t('linkifiers.title')} text={t('linkifiers.text')}>
      {list.map(({ id, pattern, url_template, example_input }, index) => (
        <Line
          key={id}
          label={<code className="inline">{pattern}</code>}
          detail={<code className="inline">{url_template}</code>}
        >
          {index > 0 && (
            <Button
              look="outline"
              aria-label={t('common.moveUpName', { name: pattern })}
              onClick={() => void save(() => order(movedUp(ids, index)), { undo: () => order(ids) })}
            >
              {t('common.moveUp')}
            </Button>
          )}
          <Button
            look="outline"
            aria-label={t('common.removeName', { name: pattern })}
            onClick={() =>
              void save(() => client.call('removeLinkifier', { path: { filter_id: id } }), {
                text: t('common.removed'),
                undo: async () => {
                  const added = await add({ pattern, url_template, ...(example_input !== null && { example_input }) })
                  await order(ids.map((one) => (one === id ? added.id : one)))
                },
              })
            }
          >
            {t('common.remove')}
          </Button>
        </Line>
      ))}
      {list.length === 0 && <p className="none-yet">{t('linkifiers.none')}</p>}
      <NewLinkifier />
    </Card>
  )
}

/** The result is shown while the pattern is written. */
function NewLinkifier() {
  const { client } = useSession()
  const [pattern, setPattern] = useState('#(?P<id>[0-9]+)')
  const [template, setTemplate] = useState('https://example.com/issues/{id}')
  const [sample, setSample] = useState(t('linkifiers.sample'))
  const tried = tryLinkifier(pattern, template, sample)
  const add = () =>
    saveForm(() => client.call('addLinkifier', { pattern, url_template: template, example_input: sample }))
  return (
    <Form button={t('linkifiers.add')} onSend={add}>
      <Field label={t('linkifiers.pattern')} hint={t('linkifiers.patternHint')}>
        {(id) => (
          <input
            id={id}
            className="text-input"
            required
            value={pattern}
            onChange={({ target }) => setPattern(target.value)}
          />
        )}
      </Field>
      <Field label={t('common.url')} hint={t('linkifiers.urlHint')}>
        {(id) => (
          <input
            id={id}
            className="text-input"
            required
            value={template}
            onChange={({ target }) => setTemplate(target.value)}
          />
        )}
      </Field>
      <Field label={t('linkifiers.try')}>
        {(id) => (
          <input id={id} className="text-input" value={sample} onChange={({ target }) => setSample(target.value)} />
        )}
      </Field>
      <div className="tester" role="status">
        {'problem' in tried ? (
          <span className="problem">{tried.problem}</span>
        ) : tried.matches.length === 0 ? (
          t('linkifiers.noMatch')
        ) : (
          tried.matches.map(({ text, url }, index) => (
            <div key={index}>
              <b>{text}</b> → <code className="inline">{url}</code>
            </div>
          ))
        )}
      </div>
    </Form>
  )
}

function PlaygroundsCard() {
  const store = useSlices('organization')
  const { client } = useSession()
  const list = store.organization.playgrounds ?? []
  const add = async (values: FormData) => {
    const [name, pygments_language, url_template] = ['name', 'language', 'url'].map((one) =>
      String(values.get(one)).trim(),
    )
    return saveForm(() =>
      client.call('addPlayground', {
        name: name!,
        pygments_language: pygments_language!,
        url_template: url_template!,
      }),
    )
  }
  return (
    <Card title={t('playgrounds.title')} text={t('playgrounds.text')}>
      {list.map(({ id, ...playground }) => (
        <Line key={id} label={`${playground.name} (${playground.pygments_language})`} detail={playground.url_template}>
          <Button
            look="outline"
            aria-label={t('common.removeName', { name: playground.name })}
            onClick={() =>
              void save(() => client.call('removePlayground', { path: { playground_id: id } }), {
                text: t('common.removed'),
                undo: () => client.call('addPlayground', playground),
              })
            }
          >
            {t('common.remove')}
          </Button>
        </Line>
      ))}
      {list.length === 0 && <p className="none-yet">{t('playgrounds.none')}</p>}
      <Form button={t('playgrounds.add')} onSend={add}>
        <div className="form-row">
          <Field label={t('common.name')}>
            {(id) => <input id={id} name="name" required className="text-input" />}
          </Field>
          <Field label={t('playgrounds.language')}>
            {(id) => <input id={id} name="language" required className="text-input" placeholder="rust" />}
          </Field>
        </div>
        <Field label={t('common.url')}>
          {(id) => (
            <input
              id={id}
              name="url"
              required
              className="text-input"
              placeholder="https://play.example.com/?code={code}"
            />
          )}
        </Field>
      </Form>
    </Card>
  )
}
