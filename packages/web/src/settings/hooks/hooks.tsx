import type { IntegrationObject } from '@parley/api/delivery/hooks'
import { useState } from 'react'
import { t } from '../../platform/i18n.ts'
import { shortTime } from '../../platform/times.ts'
import { useSession } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Card, Line } from '../controls.tsx'
import { matching } from '../model.ts'
import { AddHook } from './add-hook.tsx'
import { HookDetails } from './hook-details.tsx'
import { IntegrationIcon } from './integration-icon.tsx'
import './hooks.css'

/** Messages from other services: the hooks, the catalogue, and one hook (`rest` is its id) or a new one (`add/NAME`). */
export function HooksPage({ rest }: { rest: string }) {
  const { client } = useSession()
  const catalogue = useLoaded(() => client.call('getIntegrations').then((answer) => answer.integrations))
  return (
    <Loaded of={catalogue}>
      {(integrations) => {
        const added = integrations.find(({ name }) => rest === `add/${name}`)
        if (added) return <AddHook integration={added} />
        const id = Number(rest)
        if (id > 0) return <HookDetails key={id} id={id} integrations={integrations} />
        return <Overview integrations={integrations} />
      }}
    </Loaded>
  )
}

interface OverviewProps {
  integrations: readonly IntegrationObject[]
}

function Overview({ integrations }: OverviewProps) {
  return (
    <>
      <Hooks integrations={integrations} />
      <Catalogue integrations={integrations} />
    </>
  )
}

function Hooks({ integrations }: OverviewProps) {
  const { client } = useSession()
  const hooks = useLoaded(() => client.call('getHooks').then((answer) => answer.hooks))
  return (
    <Card title={t('hooks.yours')} text={t('hooks.yours.text')}>
      <Loaded of={hooks}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">{t('hooks.none')}</p>
          ) : (
            list.map(({ id, name, integration, last_at, is_enabled }) => (
              <Line
                key={id}
                start={<IntegrationIcon of={integrations.find((one) => one.name === integration)} />}
                label={name}
                detail={
                  is_enabled
                    ? last_at === null
                      ? t('hooks.nothingYet')
                      : t('hooks.lastAt', { time: shortTime(last_at) })
                    : t('hooks.off')
                }
              >
                <a className="btn outline" href={`#settings/integrations/${id}`} aria-label={t('hooks.open', { name })}>
                  {t('bots.manage')}
                </a>
              </Line>
            ))
          )
        }
      </Loaded>
    </Card>
  )
}

function Catalogue({ integrations }: OverviewProps) {
  const [query, setQuery] = useState('')
  const found = matching(
    integrations.map((integration) => ({ label: integration.title, detail: integration.summary, integration })),
    query,
  )
  return (
    <Card title={t('hooks.add')} text={t('hooks.add.text')}>
      <div className="hook-search">
        <SearchField label={t('hooks.find')} look="text-input" value={query} onChange={setQuery} />
      </div>
      <ul className="hook-catalogue">
        {found.map(({ integration }) => (
          <li key={integration.name}>
            <a href={`#settings/integrations/add/${integration.name}`}>
              <IntegrationIcon of={integration} />
              <span>
                <b>{integration.title}</b>
                <span className="d">{integration.summary}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="none-yet">{t('hooks.notFound')}</p>}
    </Card>
  )
}
