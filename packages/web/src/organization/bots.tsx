import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { BotList } from '../settings/bots/bot-list.tsx'
import { Card } from '../settings/controls.tsx'
import { matching } from '../settings/model.ts'
import { SearchField } from '../ui/search-field.tsx'

/** All bots of the organization; administrators manage those of others too. */
export function AllBotsPage() {
  const store = useSlices('bots')
  const [query, setQuery] = useState('')
  const bots = [...store.bots.byId.values()]
    .sort((a, b) => Number(b.is_active) - Number(a.is_active) || a.full_name.localeCompare(b.full_name))
    .map((bot) => ({ label: bot.full_name, detail: bot.email, bot }))
  return (
    <>
      <div className="card-tools">
        <SearchField label={t('bots.find')} look="text-input" value={query} onChange={setQuery} />
        <a className="btn outline end" href="#settings/bots">
          {t('bots.create')}
        </a>
      </div>
      <Card title={t('bots.title')} text={t('bots.title.text')}>
        <BotList bots={matching(bots, query).map(({ bot }) => bot)} />
      </Card>
    </>
  )
}
