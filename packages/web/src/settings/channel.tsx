import { narrows } from '@parley/client/narrow'
import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useStore } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
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
import { Card, ConfirmButton, Line, SelectLine, SwitchLine, TextLine } from './controls.tsx'
import { JoinButton } from './join-button.tsx'
import { Loaded, useLoaded } from './loading.tsx'
import { Picker } from './picker.tsx'
import { save } from './saving.ts'
import { usePermissionRules, WhoMayLine } from './who-may-line.tsx'

export function ChannelPage({ id }: { id: number }) {
  const store = useStore()
  const { viewerId } = useSession()
  const channel = knownChannels(store).find(({ stream_id }) => stream_id === id)
  if (!channel)
    return (
      <Empty isWholeScreen icon="hash" title="This channel doesn't exist or you don't have access.">
        <a className="linkish" href="#channels">
          All channels
        </a>
      </Empty>
    )
  const role = store.users.byId.get(viewerId)?.role ?? 600
  const isManager = mayAdminister(store.groups.byId, { id: viewerId, role }, channel.can_administer_channel_group)
  return (
    <>
      <header className="bar">
        <IconButton label="All channels" icon="chevron-left" onClick={() => goTo('#channels')} />
        <div className="two">
          <h1>#{channel.name}</h1>
        </div>
        <div className="end">
          <a className="btn" href={narrowHash(narrows.channel(id), store)}>
            Open
          </a>
          <JoinButton name={channel.name} isSubscribed={store.channels.subscribed.has(id)} />
        </div>
      </header>
      <div className="settings-page">
        <PersonalCard id={id} />
        <GeneralCard channel={channel} isManager={isManager} role={role} />
        <PermissionsCard channel={channel} isManager={isManager} />
        <MembersCard channel={channel} isManager={isManager} />
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
  const put = (property: 'is_muted' | 'pin_to_top' | 'color', value: boolean | string) =>
    client.call('updateSubscription', { path: { stream_id: id }, property, value })
  const flag = (property: 'is_muted' | 'pin_to_top') => ({
    isOn: own[property],
    onChange: (isOn: boolean) => void save(() => put(property, isOn), { undo: () => put(property, !isOn) }),
  })
  return (
    <Card title="For you" text="Others do not see this.">
      <SwitchLine label="Muted" detail="No notifications, unread messages do not count" {...flag('is_muted')} />
      <SwitchLine label="Pinned" detail="At the top of the sidebar" {...flag('pin_to_top')} />
      <Line label="Color">
        <input
          type="color"
          aria-label="Color"
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
  ['realm_default', 'As the organization'],
  ['unlimited', 'Forever'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
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
    <Card title="General" text={isManager ? undefined : 'Only those who administer this channel can change this.'}>
      <TextLine
        label="Name"
        value={channel.name}
        maxLength={60}
        isDisabled={!isManager}
        onSave={(name) => change({ new_name: name }, { new_name: channel.name })}
      />
      <TextLine
        label="Description"
        isLong
        value={channel.description}
        maxLength={1024}
        isDisabled={!isManager}
        onSave={(description) => change({ description }, { description: channel.description })}
      />
      <SelectLine
        label="Who finds and reads it"
        detail={privacyChoices.find(([one]) => one === privacyOf(channel))?.[2]}
        value={privacyOf(channel)}
        choices={privacyChoices.map(([value, label]) => [value, label] as const)}
        isDisabled={!isManager}
        onChange={(privacy) => void change(privacyParams(privacy), privacyParams(privacyOf(channel)))}
      />
      <SelectLine
        label="Folder"
        value={channel.folder_id}
        choices={[[null, 'None'], ...folders.map(({ id, name }) => [id, name] as const)]}
        isDisabled={!isManager}
        onChange={(folder_id) => void change({ folder_id }, { folder_id: channel.folder_id })}
      />
      <SelectLine
        label="Messages are kept"
        detail={role > 100 ? 'Only owners can change this.' : undefined}
        value={kept}
        choices={retentions}
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
    <Card title="Permissions">
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

function MembersCard({ channel, isManager }: ManagedProps) {
  const store = useStore()
  const { client, viewerId } = useSession()
  const path = { stream_id: channel.stream_id }
  const members = useLoaded(
    () => client.call('getChannelMembers', { path }).then((answer) => answer.subscribers),
    channel.stream_id,
    store.channels.subscribed.has(channel.stream_id),
  )
  const add = (id: number) => client.call('subscribe', { subscriptions: [{ name: channel.name }], principals: [id] })
  const remove = (id: number) => client.call('unsubscribe', { subscriptions: [channel.name], principals: [id] })
  const both = (work: () => Promise<unknown>) => () => work().then(members.reload)
  const others = [...store.users.byId.values()].filter(
    ({ user_id, is_active }) => is_active && !members.value?.includes(user_id),
  )
  return (
    <Card title={members.value ? `Members (${members.value.length})` : 'Members'}>
      <div className="line-item">
        <Picker
          label="Add a person"
          placeholder="Add a person"
          options={others.map(({ user_id, full_name, email }) => ({
            key: String(user_id),
            label: full_name,
            detail: email,
          }))}
          onPick={({ key }) =>
            void save(
              both(() => add(Number(key))),
              { undo: both(() => remove(Number(key))), text: `${nameOf(store, Number(key))} was added` },
            )
          }
        />
      </div>
      <Loaded of={members}>
        {(ids) =>
          ids.map((id) => (
            <Line key={id} start={<PresentAvatar userId={id} size="md" />} label={nameOf(store, id)}>
              {(isManager || id === viewerId) && (
                <Button
                  look="outline"
                  aria-label={`Remove ${nameOf(store, id)}`}
                  onClick={() =>
                    void save(
                      both(() => remove(id)),
                      { undo: both(() => add(id)), text: `${nameOf(store, id)} was removed` },
                    )
                  }
                >
                  Remove
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
  const archive = () =>
    save(() => client.call('archiveChannel', { path }), {
      text: `#${channel.name} was archived`,
      undo: () => client.call('updateChannel', { path, is_archived: false }),
    })
  return (
    <Card title="Archive">
      <Line label="Archive this channel" detail="Nobody can post any more. Its messages stay readable.">
        <ConfirmButton
          label="Archive"
          question={`Archive #${channel.name}?`}
          explanation="Members no longer see it in the sidebar. You can undo this."
          onConfirm={() => void archive().then((isDone) => isDone && goTo('#channels'))}
        />
      </Line>
    </Card>
  )
}
