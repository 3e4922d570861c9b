import type { GroupSettingValue } from '@parley/api/common'
import { narrows } from '@parley/client/narrow'
import { useEffect } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { mayInRealm } from '../session/permissions.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import {
  type KnownChannel,
  knownChannels,
  mayAdminister,
  privacyChoices,
  privacyOf,
  privacyParams,
} from './channels-model.ts'
import { Card, ConfirmButton, Line, named, SelectLine, SwitchLine, TextLine } from './controls.tsx'
import { JoinButton } from './join-button.tsx'
import { Picker } from './picker.tsx'
import { save } from './saving.ts'
import { reachedUsers } from './who-may.ts'
import { usePermissionRules, WhoMayLine } from './who-may-line.tsx'

export function ChannelPage({ id }: { id: number }) {
  const store = useStore()
  const { viewerId } = useSession()
  const channel = knownChannels(store).find(({ stream_id }) => stream_id === id)
  if (!channel)
    return (
      <Empty isWholeScreen icon="hash" title={t('channel.noAccess')}>
        <a className="linkish" href="#channels">
          {t('channel.all')}
        </a>
      </Empty>
    )
  const role = store.users.byId.get(viewerId)?.role ?? 600
  const isManager = mayAdminister(store.groups.byId, { id: viewerId, role }, channel.can_administer_channel_group)
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
        <GeneralCard channel={channel} isManager={isManager} role={role} />
        <PermissionsCard channel={channel} isManager={isManager} />
        <MembersCard channel={channel} isManager={isManager} role={role} />
        {isManager && <ArchiveCard channel={channel} />}
      </div>
    </>
  )
}

function PersonalCard({ id }: { id: number }) {
  const store = useStore()
  const { client } = useSession()
  const own = store.channels.subscribed.get(id)
  if (!own) return null
  const put = (property: 'is_muted' | 'pin_to_top' | 'email_notifications' | 'color', value: boolean | string) =>
    client.call('updateSubscription', { path: { stream_id: id }, property, value })
  const flag = (property: 'is_muted' | 'pin_to_top') => ({
    isOn: own[property],
    onChange: (isOn: boolean) => void save(() => put(property, isOn), { undo: () => put(property, !isOn) }),
  })
  const { email_notifications: email } = own
  // The API cannot go back to following the setting for all channels.
  const undoEmail = typeof email === 'boolean' ? { undo: () => put('email_notifications', email) } : {}
  return (
    <Card title={t('channel.forYou')} text={t('channel.forYou.text')}>
      <SwitchLine label={t('topic.muted')} detail={t('channel.muted.text')} {...flag('is_muted')} />
      <SwitchLine label={t('sidebar.pinned')} detail={t('channel.pinned.text')} {...flag('pin_to_top')} />
      {store.settings.server_sends_email_notifications !== false && (
        <SwitchLine
          label={t('channel.email')}
          detail={t('channel.email.text')}
          isOn={email ?? store.preferences.get('enable_stream_email_notifications') === true}
          onChange={(isOn) => void save(() => put('email_notifications', isOn), undoEmail)}
        />
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

function GeneralCard({ channel, isManager, role }: ManagedProps & { role: number }) {
  const store = useStore()
  const { client } = useSession()
  const path = { stream_id: channel.stream_id }
  const put = (change: object) => client.call('updateChannel', { path, ...change })
  const change = (next: object, before: object) => save(() => put(next), { undo: () => put(before) })
  const days = channel.message_retention_days
  const kept = days === null ? 'realm_default' : days === -1 ? 'unlimited' : String(days)
  const retention = (value: string) => ({ message_retention_days: /^\d+$/.test(value) ? Number(value) : value })
  const folders = [...store.folders.byId.values()].filter(({ is_archived }) => !is_archived)
  return (
    <Card title={t('channel.general')} text={isManager ? undefined : t('channel.onlyAdmins')}>
      <TextLine
        label={t('common.name')}
        value={channel.name}
        maxLength={60}
        isDisabled={!isManager}
        onSave={(name) => change({ new_name: name }, { new_name: channel.name })}
      />
      <TextLine
        label={t('common.description')}
        isLong
        value={channel.description}
        maxLength={1024}
        isDisabled={!isManager}
        onSave={(description) => change({ description }, { description: channel.description })}
      />
      <SelectLine
        label={t('channel.privacy')}
        detail={t(privacyChoices.find(([one]) => one === privacyOf(channel))![2])}
        value={privacyOf(channel)}
        choices={privacyChoices.map(([value, label]) => [value, t(label)] as const)}
        isDisabled={!isManager}
        onChange={(privacy) => void change(privacyParams(privacy), privacyParams(privacyOf(channel)))}
      />
      <SelectLine
        label={t('channel.folder')}
        value={channel.folder_id}
        choices={[[null, t('channel.noFolder')], ...folders.map(({ id, name }) => [id, name] as const)]}
        isDisabled={!isManager}
        onChange={(folder_id) => void change({ folder_id }, { folder_id: channel.folder_id })}
      />
      <SelectLine
        label={t('retention.label')}
        detail={role > 100 ? t('common.onlyOwners') : undefined}
        value={kept}
        choices={named(retentions)}
        isDisabled={role > 100}
        onChange={(value) => void change(retention(value), retention(kept))}
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
          value={channel[name as 'can_send_message_group']}
          isDisabled={!isManager}
          onChange={(change) =>
            client.call('updateChannel', { path: { stream_id: channel.stream_id }, [name]: change })
          }
        />
      ))}
    </Card>
  )
}

function MembersCard({ channel, isManager, role }: ManagedProps & { role: number }) {
  const store = useStore()
  const session = useSession()
  const { client, viewerId } = session
  const may = (value: GroupSettingValue) => isManager || reachedUsers(store.groups.byId, value).has(viewerId)
  const mayAdd = may(channel.can_add_subscribers_group) || mayInRealm(store, 'can_add_subscribers_group')
  const mayRemove = role < 600 && may(channel.can_remove_subscribers_group)
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
