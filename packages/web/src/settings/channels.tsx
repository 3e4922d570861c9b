import { narrows } from '@parley/client/narrow'
import { useState } from 'react'
import { t } from '../platform/i18n.ts'
import { useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Icon } from '../ui/icon.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Empty } from '../ui/states.tsx'
import { ChannelPage } from './channel.tsx'
import { type KnownChannel, knownChannels, searchChannels } from './channels-model.ts'
import { Card, Line } from './controls.tsx'
import { JoinButton } from './join-button.tsx'
import { NewChannel } from './new-channel.tsx'
import './settings.css'

/** `#channels` lists, `#channels/new` creates, `#channels/7` shows the settings of a channel. */
export function ChannelsScreen({ hash }: { hash: string }) {
  const [, part = ''] = hash.split('/')
  const id = Number.parseInt(part, 10)
  const mayCreate = useMayCreate()
  return (
    <main className="main">
      {part === 'new' && mayCreate ? <NewChannel /> : Number.isNaN(id) ? <Browse /> : <ChannelPage key={id} id={id} />}
    </main>
  )
}

function useMayCreate(): boolean {
  const rights = useStore().account.snapshot() as { can_create_streams?: boolean }
  return rights.can_create_streams === true
}

function Browse() {
  const store = useStore()
  const [query, setQuery] = useState('')
  const all = knownChannels(store).filter(({ is_archived }) => !is_archived)
  const found = searchChannels(all, query)
  const mayCreate = useMayCreate()
  return (
    <>
      <header className="bar">
        <div className="two">
          <h1>{t('nav.channels')}</h1>
        </div>
        <div className="end">
          <SearchField label={t('channel.find')} value={query} onChange={setQuery} />
          {mayCreate && (
            <a className="btn primary" href="#channels/new" aria-label={t('channel.new')}>
              <Icon name="plus" size="s" /> <span className="wide">{t('channel.new')}</span>
            </a>
          )}
        </div>
      </header>
      <div className="settings-page">
        {found.length === 0 ? (
          <Empty icon="hash" title={query ? t('channel.noneNamed') : t('channel.none')}>
            {mayCreate && (
              <a className="linkish" href="#channels/new">
                {t('channel.createOne')}
              </a>
            )}
          </Empty>
        ) : (
          <Card>
            {found.map((channel) => (
              <ChannelLine key={channel.stream_id} channel={channel} />
            ))}
          </Card>
        )}
      </div>
    </>
  )
}

function ChannelLine({ channel }: { channel: KnownChannel }) {
  const store = useStore()
  const { stream_id: id, name, description, invite_only, stream_weekly_traffic: traffic } = channel
  return (
    <Line
      start={<Icon name={invite_only ? 'lock' : 'hash'} />}
      label={<a href={narrowHash(narrows.channel(id), store)}>{name}</a>}
      detail={[description, traffic ? t('channel.traffic', { count: traffic }) : ''].filter(Boolean).join(' · ')}
    >
      <a className="btn" href={`#channels/${id}`} aria-label={t('channel.settingsOf', { name })}>
        {t('nav.settings')}
      </a>
      <JoinButton channel={channel} />
    </Line>
  )
}
