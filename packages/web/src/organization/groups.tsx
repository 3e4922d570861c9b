import { nameLimits, textLimits } from '@parley/api/limits'
import type { UserGroup } from '@parley/api/organization/groups'
import { type GroupPermission, mayInGroup } from '@parley/api/permissions'
import { useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { nameOf } from '../people/presence.ts'
import { useMay } from '../permissions/use-may.ts'
import { containsGroup, groupText, reachedUsers } from '../permissions/who-may.ts'
import { holderOf, usePermissionRules, WhoMayLine } from '../permissions/who-may-line.tsx'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { ConfirmButton } from '../settings/confirm.tsx'
import { Card, Line } from '../settings/controls.tsx'
import { Field, Form, TextLine } from '../settings/fields.tsx'
import type { PageProps } from '../settings/pages.ts'
import { Picker } from '../settings/picker.tsx'
import { reasonOf, save } from '../settings/saving.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** `#groups` lists, `#groups/7` shows one group. */
export function GroupsPage({ rest }: PageProps) {
  const store = useSlices('groups')
  const group = store.groups.byId.get(Number.parseInt(rest, 10))
  return group && !group.deactivated ? <GroupPage key={group.id} group={group} /> : <GroupList />
}

function GroupList() {
  const store = useSlices('groups')
  const groups = [...store.groups.byId.values()]
    .filter(({ deactivated, is_system_group }) => !deactivated && !is_system_group)
    .sort((a, b) => a.name.localeCompare(b.name))
  const mayCreate = useMay('can_create_groups')
  return (
    <>
      <Card title={t('groups.title')} text={t('groups.text')}>
        {groups.map((group) => {
          const count = reachedUsers(store.groups.byId, group.id).size
          return (
            <Line
              key={group.id}
              start={<Icon name="shapes" />}
              label={<a href={`#groups/${group.id}`}>@{group.name}</a>}
              detail={[group.description, t('people.count', { count })].filter(Boolean).join(' · ')}
            >
              <a
                className="btn outline"
                href={`#groups/${group.id}`}
                aria-label={t('groups.openName', { name: group.name })}
              >
                {t('common.open')}
              </a>
            </Line>
          )
        })}
        {groups.length === 0 && <p className="none-yet">{t('groups.none')}</p>}
      </Card>
      {mayCreate && <NewGroup />}
    </>
  )
}

function NewGroup() {
  const { client, viewerId } = useSession()
  const store = useSlices('users')
  const [members, setMembers] = useState([viewerId])
  const people = [...store.users.byId.values()].filter((one) => one.is_active && !members.includes(one.user_id))
  const create = async (values: FormData) => {
    const [name, description] = ['name', 'description'].map((one) => String(values.get(one)).trim())
    try {
      const { group_id } = await client.call('createUserGroup', {
        name: name!,
        description: description!,
        members,
      })
      goTo(`#groups/${group_id}`)
    } catch (error) {
      return reasonOf(error)
    }
  }
  return (
    <Card title={t('groups.new')}>
      <Form button={t('groups.create')} onSend={create}>
        <Field label={t('common.name')}>
          {(id) => <input id={id} name="name" required maxLength={nameLimits.userGroup} className="text-input" />}
        </Field>
        <Field label={t('common.description')}>
          {(id) => <input id={id} name="description" maxLength={textLimits.groupDescription} className="text-input" />}
        </Field>
        <div className="form-field">
          <span>{t('members.title')}</span>
          <div className="chips">
            {members.map((id) => (
              <span key={id} className="chip">
                {nameOf(store, id)}
                <IconButton
                  label={t('common.removeName', { name: nameOf(store, id) })}
                  icon="x"
                  look="tiny"
                  onClick={() => setMembers(members.filter((one) => one !== id))}
                />
              </span>
            ))}
          </div>
          <Picker
            label={t('compose.addPerson')}
            placeholder={t('compose.addPerson')}
            options={people.map((one) => ({ key: String(one.user_id), label: one.full_name, detail: one.email }))}
            onPick={({ key }) => setMembers([...members, Number(key)])}
          />
        </div>
      </Form>
    </Card>
  )
}

function GroupPage({ group }: { group: UserGroup }) {
  const store = useSlices('viewer')
  const { client } = useSession()
  const path = { user_group_id: group.id }
  const may = (...permissions: GroupPermission[]) =>
    !group.is_system_group && mayInGroup(store.viewer, group, ...permissions)
  const isManager = may()
  const put = (change: object) => client.call('updateUserGroup', { path, ...change })
  const change = (next: object, before: object) => save(() => put(next), { undo: () => put(before) })
  const rules = usePermissionRules('group')
  return (
    <>
      <Card>
        <Line label={<a href="#groups">← {t('groups.all')}</a>}>
          {isManager && (
            <ConfirmButton
              label={t('common.deactivate')}
              question={t('groups.deactivateQuestion', { name: group.name })}
              explanation={t('groups.deactivateText')}
              onConfirm={() =>
                void save(() => client.call('deactivateUserGroup', { path }), { text: t('people.deactivated') }).then(
                  (isDone) => isDone && goTo('#groups'),
                )
              }
            />
          )}
        </Line>
        {isManager ? (
          <>
            <TextLine
              label={t('common.name')}
              value={group.name}
              onSave={(name) => change({ name }, { name: group.name })}
            />
            <TextLine
              label={t('common.description')}
              value={group.description}
              onSave={(description) => change({ description }, { description: group.description })}
            />
          </>
        ) : (
          <Line label={groupText(group)} detail={group.description} />
        )}
      </Card>
      <MembersCard
        group={group}
        mayAdd={may('can_add_members_group')}
        mayRemove={may('can_remove_members_group')}
        mayJoin={may('can_join_group', 'can_add_members_group')}
        mayLeave={may('can_leave_group', 'can_remove_members_group')}
      />
      {!group.is_system_group && (
        <Card title={t('common.permissions')}>
          {Object.entries(rules).map(([name, rule]) => (
            <WhoMayLine
              key={name}
              name={name}
              rule={rule}
              value={holderOf(group, name)}
              isDisabled={!isManager}
              onChange={(one) => put({ [name]: one })}
            />
          ))}
        </Card>
      )}
    </>
  )
}

interface MembersProps {
  group: UserGroup
  mayAdd: boolean
  mayRemove: boolean
  mayJoin: boolean
  mayLeave: boolean
}

function MembersCard({ group, mayAdd, mayRemove, mayJoin, mayLeave }: MembersProps) {
  const store = useSlices('groups', 'users')
  const { client, viewerId } = useSession()
  const [isWhole, setWhole] = useState(false)
  const path = { user_group_id: group.id }
  const change = (params: object) => client.call('updateUserGroupMembers', { path, ...params })
  const swap = (add: object, remove: object) => save(() => change(add), { undo: () => change(remove) })
  const people = [...store.users.byId.values()].filter((one) => one.is_active && !group.members.includes(one.user_id))
  const others = [...store.groups.byId.values()].filter(
    ({ id, deactivated }) =>
      !deactivated && !group.direct_subgroup_ids.includes(id) && !containsGroup(store.groups.byId, id, group.id),
  )
  const options = [
    ...people.map((one) => ({ key: `u${one.user_id}`, label: one.full_name, detail: one.email, id: one.user_id })),
    ...others.map((one) => ({ key: `g${one.id}`, label: groupText(one), detail: t('groups.group'), id: one.id })),
  ]
  const shown = isWhole ? group.members : group.members.slice(0, 50)
  const join = mayJoin && !group.members.includes(viewerId) && (
    <Button look="primary" onClick={() => void swap({ add: [viewerId] }, { delete: [viewerId] })}>
      {t('channel.join')}
    </Button>
  )
  const title = t('members.titleCount', { count: reachedUsers(store.groups.byId, group.id).size })
  return (
    <Card title={title} action={join}>
      {mayAdd && (
        <div className="line-item">
          <Picker
            label={t('groups.addHolder')}
            placeholder={t('groups.addHolder')}
            options={options}
            onPick={({ key, id }) =>
              void (key.startsWith('u')
                ? swap({ add: [id] }, { delete: [id] })
                : swap({ add_subgroups: [id] }, { delete_subgroups: [id] }))
            }
          />
        </div>
      )}
      {group.direct_subgroup_ids.map((id) => (
        <Line
          key={`g${id}`}
          start={<Icon name="shapes" />}
          label={<a href={`#groups/${id}`}>{groupText(store.groups.byId.get(id))}</a>}
          detail={t('groups.everyone')}
        >
          {mayRemove && (
            <Button
              look="outline"
              aria-label={t('common.removeName', { name: groupText(store.groups.byId.get(id)) })}
              onClick={() => void swap({ delete_subgroups: [id] }, { add_subgroups: [id] })}
            >
              {t('common.remove')}
            </Button>
          )}
        </Line>
      ))}
      {shown.map((id) => (
        <Line key={id} start={<PresentAvatar userId={id} size="md" />} label={nameOf(store, id)}>
          {(mayRemove || (mayLeave && id === viewerId)) && !group.is_system_group && (
            <Button
              look="outline"
              aria-label={t('common.removeName', { name: nameOf(store, id) })}
              onClick={() => void swap({ delete: [id] }, { add: [id] })}
            >
              {t('common.remove')}
            </Button>
          )}
        </Line>
      ))}
      {shown.length < group.members.length && (
        <div className="line-item">
          <Button onClick={() => setWhole(true)}>{t('groups.showAll', { count: group.members.length })}</Button>
        </div>
      )}
      {group.members.length + group.direct_subgroup_ids.length === 0 && (
        <p className="none-yet">{t('groups.nobody')}</p>
      )}
    </Card>
  )
}
