import { mayAddOthers, mayAdminister, mayRemoveOthers } from '@parley/api/channel-permissions'
import type { SubscriptionProperty } from '@parley/api/conversations/subscriptions'
import { nameLimits } from '@parley/api/limits'
import { isOwner } from '@parley/api/permissions'
import { narrows } from '@parley/client/messages/narrow'
import { useEffect, useRef } from 'react'
import { PresentAvatar } from '../../people/avatar.tsx'
import { nameOf } from '../../people/presence.ts'
import { holderOf, usePermissionRules, WhoMayLine } from '../../permissions/who-may-line.tsx'
import { explainChannelAdmin, explainRole } from '../../permissions/why.ts'
import { type PlainId, t } from '../../platform/i18n.ts'
import { goTo } from '../../platform/routing.ts'
import { useSession, useSlices } from '../../session/context.tsx'
import { narrowHash } from '../../session/links.ts'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { named, SelectLine } from '../choices.tsx'
import { ConfirmButton } from '../confirm.tsx'
import { Card, Line, SwitchLine } from '../controls.tsx'
import { TextLine } from '../fields.tsx'
import { Picker } from '../picker.tsx'
import { save } from '../saving.ts'
import { type KnownChannel, knownChannels, privacyOf, privacyParams } from './channels-model.ts'
import { JoinButton } from './join-button.tsx'
import { PrivacyLine } from './privacy-line.tsx'
import { RetentionLine } from './retention-line.tsx'

export function ChannelPage({ id, section }: { id: number; section: string | undefined }) {
  const members = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (section === 'members') members.current?.scrollIntoView()
  }, [section])
  const store = useSlices('channels', 'viewer')
  const channel = knownChannels(store).find(({ stream_id }) => stream_id === id)
  if (!channel)
    return (
      <Empty isWholeScreen icon="hash" title={t('channel.noAccess')}>
        <a className="linkish" href="#channels">
          {t('channel.all')}
        </a>
      </Empty>
    )
  const isManager = mayAdminister(store.viewer, channel)
  return (
    <>
      <header className="bar">
        <IconButton label={t('channel.all')} icon="chevron-left" onClick={() => goTo('#channels')} />
        <div className="two">
          <h1>#{channel.name}</h1>
        </div>
        <div className="end">
          <a className="btn" href={narrowHash(narrows.channel(id), store)}>
            {t('common.open')}
          </a>
          <JoinButton channel={channel} />
        </div>
      </header>
      <div className="settings-page">
        <PersonalCard id={id} />
        <GeneralCard channel={channel} isManager={isManager} />
        <PermissionsCard channel={channel} isManager={isManager} />
        <div ref={members}>
          <MembersCard channel={channel} />
        </div>
        {isManager && <ArchiveCard channel={channel} />}
      </div>
    </>
  )
}

/** What a channel may do for every message. Until the viewer chooses, the settings for all channels apply. */
const notices = [
  ['desktop_notifications', 'channel.desktop', undefined],
  ['audible_notifications', 'channel.sound', undefined],
  ['push_notifications', 'channel.phone', undefined],
  ['email_notifications', 'channel.email', 'channel.email.text'],
  ['wildcard_mentions_notify', 'notices.everyone', 'notices.everyone.text'],
] as const satisfies [SubscriptionProperty, PlainId, PlainId?][]

function noticeSetting(property: (typeof notices)[number][0]) {
  return property === 'wildcard_mentions_notify' ? property : (`enable_stream_${property}` as const)
}

function PersonalCard({ id }: { id: number }) {
  const store = useSlices('channels', 'preferences')
  const { client } = useSession()
  const own = store.channels.subscribed.get(id)
  if (!own) return null
  const put = (property: SubscriptionProperty, value: boolean | string) =>
    client.call('updateSubscription', { path: { stream_id: id }, property, value })
  const flag = (property: 'is_muted' | 'pin_to_top') => ({
    isOn: own[property],
    onChange: (isOn: boolean) => void save(() => put(property, isOn), { undo: () => put(property, !isOn) }),
  })
  const notice = (property: (typeof notices)[number][0]) => {
    const chosen = own[property]
    // The API cannot go back to following the setting for all channels.
    const undo = typeof chosen === 'boolean' ? { undo: () => put(property, chosen) } : {}
    return {
      isOn: chosen ?? store.preferences.get(noticeSetting(property)) === true,
      onChange: (isOn: boolean) => void save(() => put(property, isOn), undo),
    }
  }
  const hasEmails = store.settings.server_sends_email_notifications !== false
  return (
    <Card title={t('channel.forYou')} text={t('channel.forYou.text')}>
      <SwitchLine label={t('topic.muted')} detail={t('channel.muted.text')} {...flag('is_muted')} />
      <SwitchLine label={t('sidebar.pinned')} detail={t('channel.pinned.text')} {...flag('pin_to_top')} />
      {notices.map(
        ([property, label, detail]) =>
          (hasEmails || property !== 'email_notifications') && (
            <SwitchLine key={property} label={t(label)} {...(detail && { detail: t(detail) })} {...notice(property)} />
          ),
      )}
      <Line label={t('channel.color')}>
        <input
          key={own.color}
          type="color"
          aria-label={t('channel.color')}
          defaultValue={own.color}
          onBlur={({ target }) =>
            target.value !== own.color &&
            void save(() => put('color', target.value), { undo: () => put('color', own.color) })
          }
        />
      </Line>
    </Card>
  )
}

interface ManagedProps {
  channel: KnownChannel
  isManager: boolean
}

const retentions = [
  ['realm_default', 'retention.asOrganization'],
  ['unlimited', 'duration.forever'],
  ['30', 'duration.days30'],
  ['90', 'duration.days90'],
  ['365', 'duration.year1'],
] as const

function GeneralCard({ channel, isManager }: ManagedProps) {
  const store = useSlices('folders', 'groups', 'realm', 'users', 'viewer')
  const mayNot = isManager ? undefined : explainChannelAdmin(store, channel.can_administer_channel_group)
  const { client } = useSession()
  const path = { stream_id: channel.stream_id }
  const put = (change: object) => client.call('updateChannel', { path, ...change })
  const change = (next: object, before: object) => save(() => put(next), { undo: () => put(before) })
  const days = channel.message_retention_days
  const kept = days === null ? 'realm_default' : days === -1 ? 'unlimited' : String(days)
  const retention = (value: string) => ({ message_retention_days: /^\d+$/.test(value) ? Number(value) : value })
  const daysKept = (value: string) =>
    value === 'realm_default'
      ? Number(store.realm.settings.message_retention_days ?? -1)
      : value === 'unlimited'
        ? -1
        : Number(value)
  const folders = [...store.folders.byId.values()].filter(({ is_archived }) => !is_archived)
  return (
    <Card title={t('channel.general')}>
      <TextLine
        label={t('common.name')}
        value={channel.name}
        maxLength={nameLimits.channel}
        mayNot={mayNot}
        onSave={(name) => change({ new_name: name }, { new_name: channel.name })}
      />
      <TextLine
        label={t('common.description')}
        isLong
        value={channel.description}
        maxLength={nameLimits.channelDescription}
        mayNot={mayNot}
        onSave={(description) => change({ description }, { description: channel.description })}
      />
      <PrivacyLine
        channel={channel}
        mayNot={mayNot}
        onChange={(privacy) => change(privacyParams(privacy), privacyParams(privacyOf(channel)))}
      />
      <SelectLine
        label={t('channel.folder')}
        value={channel.folder_id}
        choices={[[null, t('channel.noFolder')], ...folders.map(({ id, name }) => [id, name] as const)]}
        mayNot={mayNot}
        onChange={(folder_id) => change({ folder_id }, { folder_id: channel.folder_id })}
      />
      <RetentionLine
        value={kept}
        choices={named(retentions)}
        mayNot={isOwner(store.viewer) ? undefined : explainRole(store, 'owner')}
        daysOf={daysKept}
        streamId={channel.stream_id}
        onChange={(value) => change(retention(value), retention(kept))}
      />
    </Card>
  )
}

function PermissionsCard({ channel, isManager }: ManagedProps) {
  const { client } = useSession()
  const rules = usePermissionRules('stream')
  return (
    <Card title={t('common.permissions')}>
      {Object.entries(rules).map(([name, rule]) => (
        <WhoMayLine
          key={name}
          name={name}
          rule={rule}
          value={holderOf(channel, name)}
          isDisabled={!isManager}
          onChange={(change) =>
            client.call('updateChannel', { path: { stream_id: channel.stream_id }, [name]: change })
          }
        />
      ))}
    </Card>
  )
}

function MembersCard({ channel }: { channel: KnownChannel }) {
  const store = useSlices('channels', 'users', 'viewer')
  const session = useSession()
  const { client, viewerId } = session
  const mayAdd = mayAddOthers(store.viewer, channel)
  const mayRemove = mayRemoveOthers(store.viewer, channel)
  const path = { stream_id: channel.stream_id }
  const members = useLoaded(
    () => client.call('getChannelMembers', { path }).then((answer) => answer.subscribers),
    channel.stream_id,
    store.channels.subscribed.has(channel.stream_id),
  )
  const { reload } = members
  useEffect(
    () =>
      session.onEvent((event) => {
        if (event.type === 'subscription' && 'stream_ids' in event && event.stream_ids.includes(path.stream_id))
          reload()
      }),
    [session, reload, path.stream_id],
  )
  const add = (id: number) => client.call('subscribe', { subscriptions: [{ name: channel.name }], principals: [id] })
  const remove = (id: number) => client.call('unsubscribe', { subscriptions: [channel.name], principals: [id] })
  const others = [...store.users.byId.values()].filter(
    ({ user_id, is_active }) => is_active && !members.value?.includes(user_id),
  )
  return (
    <Card title={members.value ? t('members.titleCount', { count: members.value.length }) : t('members.title')}>
      {mayAdd && (
        <div className="line-item">
          <Picker
            label={t('people.add')}
            placeholder={t('people.add')}
            options={others.map(({ user_id, full_name, email }) => ({
              key: String(user_id),
              label: full_name,
              detail: email,
            }))}
            onPick={({ key }) =>
              void save(() => add(Number(key)), {
                undo: () => remove(Number(key)),
                text: t('channel.wasAdded', { name: nameOf(store, Number(key)) }),
              })
            }
          />
        </div>
      )}
      <Loaded of={members}>
        {(ids) =>
          ids.map((id) => (
            <Line key={id} start={<PresentAvatar userId={id} size="md" />} label={nameOf(store, id)}>
              {(mayRemove || id === viewerId) && (
                <Button
                  look="outline"
                  aria-label={t('common.removeName', { name: nameOf(store, id) })}
                  onClick={() =>
                    void save(() => remove(id), {
                      undo: () => add(id),
                      text: t('channel.wasRemoved', { name: nameOf(store, id) }),
                    })
                  }
                >
                  {t('common.remove')}
                </Button>
              )}
            </Line>
          ))
        }
      </Loaded>
    </Card>
  )
}

function ArchiveCard({ channel }: { channel: KnownChannel }) {
  const { client } = useSession()
  const path = { stream_id: channel.stream_id }
  const reopen = () => client.call('updateChannel', { path, is_archived: false })
  const archive = () =>
    save(() => client.call('archiveChannel', { path }), {
      text: t('channel.wasArchived', { name: channel.name }),
      undo: reopen,
    })
  if (channel.is_archived)
    return (
      <Card>
        <Line label={t('folders.archived')} detail={t('channel.archive.text')}>
          <Button look="outline" onClick={() => void save(reopen)}>
            {t('common.reactivate')}
          </Button>
        </Line>
      </Card>
    )
  return (
    <Card title={t('folders.archive')}>
      <Line label={t('channel.archive')} detail={t('channel.archive.text')}>
        <ConfirmButton
          label={t('folders.archive')}
          question={t('channel.archiveQuestion', { name: channel.name })}
          explanation={t('channel.archiveText')}
          onConfirm={() => void archive().then((isDone) => isDone && goTo('#channels'))}
        />
      </Line>
    </Card>
  )
}
