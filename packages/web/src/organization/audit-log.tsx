import { useState } from 'react'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { exactTime, shortTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { useLoaded } from '../session/loading.tsx'
import { type Choice, Select } from '../settings/choices.tsx'
import { Card } from '../settings/controls.tsx'
import { PagedList } from '../settings/paged-list.tsx'
import { Picker } from '../settings/picker.tsx'
import { Button } from '../ui/button.tsx'
import { type AuditEntry, actionText, actorText, changesText, targetText, valueLines, viaText } from './audit-model.ts'

interface Filters {
  actor_id?: number
  target_id?: number
  action?: string
  since?: number
  until?: number
}

const pageSize = 100

export function AuditLogPage() {
  const { client } = useSession()
  const [filters, setFilters] = useState<Filters>({})
  const load = (before?: number) =>
    client.call('getAuditLog', { ...filters, ...(before && { before }), limit: pageSize })
  const chosen = JSON.stringify(filters)
  const first = useLoaded(() => load(), chosen)
  const filter = (change: Filters | 'none') => setFilters(change === 'none' ? {} : without({ ...filters, ...change }))
  return (
    <Card title={t('audit.title')} text={t('audit.text')} action={<Exports filters={filters} />}>
      <FilterBar filters={filters} actions={first.value?.actions ?? []} onChange={filter} />
      <PagedList
        key={chosen}
        first={first}
        load={load}
        rowsOf={({ rows }) => rows}
        idOf={({ id }) => id}
        emptyText={t('audit.none')}
      >
        {(entry) => <Entry key={entry.id} entry={entry} />}
      </PagedList>
    </Card>
  )
}

function without(filters: Filters): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

/** Of what the page shows, older entries included. */
function Exports({ filters }: { filters: Filters }) {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]))
  return (
    <span className="audit-exports">
      {['csv', 'ndjson'].map((format) => (
        <a key={format} className="btn outline" href={`/audit-log.${format}?${query}`} download>
          {t('audit.export', { format: format === 'csv' ? 'CSV' : 'JSON' })}
        </a>
      ))}
    </span>
  )
}

interface FilterProps {
  filters: Filters
  actions: readonly string[]
  onChange: (change: Filters | 'none') => void
}

function FilterBar({ filters, actions, onChange }: FilterProps) {
  const choices: Choice<string | null>[] = [
    [null, t('audit.filter.all')],
    ...actions.map((action) => [action, actionText(action)] as const),
  ]
  return (
    <fieldset className="audit-filters" aria-label={t('audit.filters')}>
      <PersonFilter
        label={t('audit.filter.actor')}
        value={filters.actor_id}
        onChange={(actor_id) => onChange({ actor_id } as Filters)}
      />
      <PersonFilter
        label={t('audit.filter.target')}
        value={filters.target_id}
        onChange={(target_id) => onChange({ target_id } as Filters)}
      />
      <Select
        label={t('audit.filter.action')}
        value={filters.action ?? null}
        choices={choices}
        onChange={(action) => onChange({ action: action ?? undefined } as Filters)}
      />
      <DayFilter
        label={t('audit.filter.since')}
        onChange={(since) => onChange({ since } as Filters)}
        key={`since ${filters.since === undefined}`}
      />
      <DayFilter
        label={t('audit.filter.until')}
        isEnd
        onChange={(until) => onChange({ until } as Filters)}
        key={`until ${filters.until === undefined}`}
      />
      {Object.keys(filters).length > 0 && (
        <Button look="outline" onClick={() => onChange('none')}>
          {t('audit.filter.clear')}
        </Button>
      )}
    </fieldset>
  )
}

interface PersonProps {
  label: string
  value: number | undefined
  onChange: (id: number | undefined) => void
}

function PersonFilter({ label, value, onChange }: PersonProps) {
  const store = useSlices('users')
  if (value !== undefined)
    return (
      <Button look="outline" icon="x" onClick={() => onChange(undefined)}>
        {`${label}: ${nameOf(store, value)}`}
      </Button>
    )
  const options = [...store.users.byId.values()].map((user) => ({ key: String(user.user_id), label: user.full_name }))
  return <Picker label={label} placeholder={label} options={options} onPick={({ key }) => onChange(Number(key))} />
}

/** A day in the viewer's time zone, as its first or last second. */
function DayFilter({ label, isEnd = false, onChange }: DayProps) {
  return (
    <label>
      {label}
      <input
        type="date"
        className="text-input"
        onChange={({ target }) => {
          const start = new Date(`${target.value}T00:00:00`)
          if (isEnd) start.setDate(start.getDate() + 1)
          onChange(target.value === '' ? undefined : Math.floor(start.getTime() / 1000))
        }}
      />
    </label>
  )
}
interface DayProps {
  label: string
  isEnd?: boolean
  onChange: (seconds: number | undefined) => void
}

function Entry({ entry }: { entry: AuditEntry }) {
  const store = useSlices('channels', 'groups', 'users')
  const target = targetText(store, entry)
  const changes = changesText(entry)
  return (
    <details className="audit-entry">
      <summary>
        <span>
          <b>{actorText(store, entry)}</b> {actionText(entry.action)}
          {target && <span className="d"> · {target}</span>}
          {changes && <span className="d"> · {changes}</span>}
        </span>
        <time dateTime={new Date(entry.time * 1000).toISOString()}>{shortTime(entry.time)}</time>
      </summary>
      <dl>
        <Detail name={t('audit.detail.time')} lines={[exactTime(entry.time)]} />
        <Detail name={t('audit.detail.ip')} lines={entry.ip_address === null ? [] : [entry.ip_address]} />
        <Detail name={t('audit.detail.via')} lines={[viaText(entry)]} />
        <Detail name={t('audit.detail.target')} lines={valueLines(entry.target)} />
        <Detail name={t('audit.detail.before')} lines={valueLines(entry.before ?? {})} />
        <Detail name={t('audit.detail.after')} lines={valueLines(entry.after ?? {})} />
        <Detail name={t('audit.detail.hash')} lines={[entry.hash]} />
      </dl>
    </details>
  )
}

function Detail({ name, lines }: { name: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {lines.map((line) => (
          <div key={line}>{line}</div>
        ))}
      </dd>
    </div>
  )
}
