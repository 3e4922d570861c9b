import { narrows } from '@parley/client/messages/narrow'
import { useState } from 'react'
import { useMayCreateChannel } from '../../permissions/use-may.ts'
import { t } from '../../platform/i18n.ts'
import { goTo } from '../../platform/routing.ts'
import { plainText } from '../../rendered/plain-text.ts'
import { useSlices } from '../../session/context.tsx'
import { narrowHash } from '../../session/links.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { Card, Line } from '../controls.tsx'
import { ChannelPage } from './channel.tsx'
import { type KnownChannel, knownChannels, searchChannels } from './channels-model.ts'
import { JoinButton } from './join-button.tsx'
import { NewChannel } from './new-channel.tsx'
import '../settings.css'

/** `#channels` and `#channels/all` list, `#channels/new` creates, `#channels/7` shows the settings of a channel. */
export function ChannelsScreen({ hash }: { hash: string }) {
  const [, part = '', section] = hash.split('/')
  const id = Number.parseInt(part, 10)
  const mayCreate = useMayCreateChannel()
  return (
    <main className="main">
      {part === 'new' && mayCreate ? (
        <NewChannel />
      ) : Number.isNaN(id) ? (
        <Browse />
      ) : (
        <ChannelPage key={hash} id={id} section={section} />
      )}
    </main>
  )
}

function Browse() {
  const store = useSlices('channels')
  const [query, setQuery] = useState('')
  const all = knownChannels(store).filter(({ is_archived }) => !is_archived)
  const found = searchChannels(all, query)
  const mayCreate = useMayCreateChannel()
  return (
    <>
      <header className="bar">
        <IconButton label={t('common.back')} icon="chevron-left" look="back" onClick={() => goTo('#channels')} />
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
  const store = useSlices('channels')
  const { stream_id: id, name, rendered_description, invite_only, stream_weekly_traffic: traffic } = channel
  const description = plainText(rendered_description)
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
