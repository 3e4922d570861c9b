import { useState } from 'react'
import { useSession, useStore } from '../session/context.tsx'
import { Card, Field, Form, Line } from '../settings/controls.tsx'
import { reasonOf, save } from '../settings/saving.ts'
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
  const store = useStore()
  const { client } = useSession()
  const list = store.organization.linkifiers ?? []
  const ids = list.map(({ id }) => id)
  const order = (ordered_linkifier_ids: number[]) => client.call('reorderLinkifiers', { ordered_linkifier_ids })
  return (
    <Card title="Linkifiers" text="Turn text such as #123 into a link. The first pattern that matches wins.">
      {list.map(({ id, pattern, url_template }, index) => (
        <Line
          key={id}
          label={<code className="inline">{pattern}</code>}
          detail={<code className="inline">{url_template}</code>}
        >
          {index > 0 && (
            <Button
              look="outline"
              aria-label={`Move ${pattern} up`}
              onClick={() => void save(() => order(movedUp(ids, index)), { undo: () => order(ids) })}
            >
              Move up
            </Button>
          )}
          <Button
            look="outline"
            aria-label={`Remove ${pattern}`}
            onClick={() =>
              void save(() => client.call('removeLinkifier', { path: { filter_id: id } }), {
                text: 'Removed',
                undo: () => client.call('addLinkifier', { pattern, url_template }),
              })
            }
          >
            Remove
          </Button>
        </Line>
      ))}
      {list.length === 0 && <p className="none-yet">No linkifiers yet.</p>}
      <NewLinkifier />
    </Card>
  )
}

/** The result is shown while the pattern is written. */
function NewLinkifier() {
  const { client } = useSession()
  const [pattern, setPattern] = useState('#(?P<id>[0-9]+)')
  const [template, setTemplate] = useState('https://example.com/issues/{id}')
  const [sample, setSample] = useState('Fixed in #123')
  const tried = tryLinkifier(pattern, template, sample)
  const add = async () => {
    try {
      await client.call('addLinkifier', { pattern, url_template: template, example_input: sample })
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Form button="Add linkifier" onSend={add}>
      <Field label="Pattern" hint="A regular expression with named groups">
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
      <Field label="URL" hint="{name} stands for the group of this name">
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
      <Field label="Try it with">
        {(id) => (
          <input id={id} className="text-input" value={sample} onChange={({ target }) => setSample(target.value)} />
        )}
      </Field>
      <div className="tester" role="status">
        {'problem' in tried ? (
          <span className="problem">{tried.problem}</span>
        ) : tried.matches.length === 0 ? (
          'Nothing in this text matches.'
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
  const store = useStore()
  const { client } = useSession()
  const list = store.organization.playgrounds ?? []
  const add = async (values: FormData) => {
    const [name, pygments_language, url_template] = ['name', 'language', 'url'].map((one) =>
      String(values.get(one)).trim(),
    )
    try {
      await client.call('addPlayground', {
        name: name!,
        pygments_language: pygments_language!,
        url_template: url_template!,
      })
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Card title="Code playgrounds" text="Open a code block in a program elsewhere. {code} stands for the code.">
      {list.map(({ id, ...playground }) => (
        <Line key={id} label={`${playground.name} (${playground.pygments_language})`} detail={playground.url_template}>
          <Button
            look="outline"
            aria-label={`Remove ${playground.name}`}
            onClick={() =>
              void save(() => client.call('removePlayground', { path: { playground_id: id } }), {
                text: 'Removed',
                undo: () => client.call('addPlayground', playground),
              })
            }
          >
            Remove
          </Button>
        </Line>
      ))}
      {list.length === 0 && <p className="none-yet">No playgrounds yet.</p>}
      <Form button="Add playground" onSend={add}>
        <div className="form-row">
          <Field label="Name">{(id) => <input id={id} name="name" required className="text-input" />}</Field>
          <Field label="Language">
            {(id) => <input id={id} name="language" required className="text-input" placeholder="rust" />}
          </Field>
        </div>
        <Field label="URL">
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
