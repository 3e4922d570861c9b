import type { Role } from '@parley/api/common'
import { roles } from '@parley/api/roles'
import type { StoredUser } from '@parley/client/store/users'
import { useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { t } from '../platform/i18n.ts'
import { exactTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { useLoaded } from '../session/loading.tsx'
import { named, Select } from '../settings/choices.tsx'
import { ConfirmDialog } from '../settings/confirm.tsx'
import { useConfirmation } from '../settings/confirmation.tsx'
import { Card, Copyable, Line } from '../settings/controls.tsx'
import { matching } from '../settings/model.ts'
import type { PageProps } from '../settings/pages.ts'
import { reasonOf, save } from '../settings/saving.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Segments } from '../ui/segments.tsx'
import { showToast } from '../ui/toast.tsx'
import { EmailDialog, SessionsDialog } from './member-dialogs.tsx'
import { mayManage, roleName, rolesFor } from './model.ts'
import { SuspendDialog, useSuspensions } from './suspend-dialog.tsx'

const shown = 100
const activities = [
  [true, 'details.active'],
  [false, 'people.deactivated'],
] as const

/** All members. After the id of one of them, only those with that name. */
export function MembersPage({ rest }: PageProps) {
  const store = useSlices('users', 'viewer')
  const wanted = store.users.byId.get(Number(rest))
  const [query, setQuery] = useState(wanted?.full_name ?? '')
  const [isActive, setActive] = useState(wanted?.is_active ?? true)
  const [resetUrl, setResetUrl] = useState('')
  const [suspending, setSuspending] = useState<StoredUser>()
  const [opened, setOpened] = useState<Opened>()
  const mayChangeEmails = useMayChangeEmails()
  const suspensions = useSuspensions()
  const viewerRole = store.viewer.role
  const people = [...store.users.byId.values()]
    .filter((user) => !user.is_bot && user.is_active === isActive)
    .sort((a, b) => a.full_name.localeCompare(b.full_name))
    .map((user) => ({ label: user.full_name, detail: `${user.email} ${roleName(user.role)}`, user }))
  const found = matching(people, query)
  return (
    <>
      <div className="card-tools">
        <SearchField
          label={t('members.find')}
          hint={t('members.findHint')}
          look="text-input"
          value={query}
          onChange={setQuery}
        />
        <Segments
          look="end"
          label={t('members.title')}
          options={named(activities)}
          value={isActive}
          onChange={setActive}
        />
      </div>
      <Card title={t('people.count', { count: found.length })}>
        {found.slice(0, shown).map(({ user }) => (
          <MemberLine
            key={user.user_id}
            user={user}
            viewerRole={viewerRole}
            suspendedUntil={suspensions.get(user.user_id)}
            onReset={setResetUrl}
            onSuspend={setSuspending}
            onOpen={setOpened}
            mayChangeEmails={mayChangeEmails}
          />
        ))}
        {found.length === 0 && <p className="none-yet">{t('members.none')}</p>}
        {found.length > shown && <p className="none-yet">{t('members.more', { count: found.length - shown })}</p>}
      </Card>
      {opened?.kind === 'sessions' && <SessionsDialog user={opened.user} onClose={() => setOpened(undefined)} />}
      {opened?.kind === 'email' && <EmailDialog user={opened.user} onClose={() => setOpened(undefined)} />}
      {suspending && <SuspendDialog user={suspending} onClose={() => setSuspending(undefined)} />}
      {resetUrl && (
        <Dialog title={t('members.passLink')} onClose={() => setResetUrl('')}>
          <p className="dialog-text">{t('members.passLink.text')}</p>
          <Copyable label={t('members.passwordLink')} text={resetUrl} />
        </Dialog>
      )}
    </>
  )
}

interface Opened {
  kind: 'sessions' | 'email'
  user: StoredUser
}

/** Only the operator of the server lets an owner change the emails of others. */
function useMayChangeEmails(): boolean {
  const { client } = useSession()
  const { viewer } = useSlices('viewer')
  const isOwner = viewer.role === roles.owner
  const server = useLoaded(async () => (isOwner ? client.call('getOwnServer') : undefined), isOwner)
  return server.value?.may_change_emails === true
}

interface MemberProps {
  user: StoredUser
  viewerRole: number
  suspendedUntil: number | undefined
  onReset: (url: string) => void
  onSuspend: (user: StoredUser) => void
  onOpen: (opened: Opened) => void
  mayChangeEmails: boolean
}

function MemberLine({ user, viewerRole, suspendedUntil, onReset, onSuspend, onOpen, mayChangeEmails }: MemberProps) {
  const { client, viewerId } = useSession()
  const path = { user_id: user.user_id }
  const { confirm, dialog } = useConfirmation()
  const isManaged = mayManage(viewerRole, user.role)
  const setRole = (role: Role) => client.call('updateUser', { path, role })
  const saveRole = (role: Role) => save(() => setRole(role), { undo: () => setRole(user.role) })
  const [ownRole, setOwnRole] = useState<Role>()
  const deactivate = () => client.call('deactivateUser', { path })
  const reactivate = () => client.call('reactivateUser', { path })
  const reset = () =>
    confirm((password) => client.call('sendPasswordReset', { path, password })).then(
      ({ reset_url }) =>
        reset_url ? onReset(reset_url) : showToast({ text: t('members.linkSent', { name: user.full_name }) }),
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  return (
    <Line
      start={<PresentAvatar userId={user.user_id} size="md" />}
      label={user.user_id === viewerId ? t('members.you', { name: user.full_name }) : user.full_name}
      detail={
        suspendedUntil
          ? t('members.suspendedUntil', { time: exactTime(suspendedUntil) })
          : (user.delivery_email ?? user.email)
      }
    >
      {dialog}
      {isManaged && user.is_active ? (
        <>
          <Select
            label={t('members.roleOf', { name: user.full_name })}
            value={user.role}
            choices={named(rolesFor(viewerRole))}
            onChange={(role) => (user.user_id === viewerId ? setOwnRole(role) : void saveRole(role))}
          />
          {ownRole !== undefined && (
            <ConfirmDialog
              label={t('members.ownRole.button')}
              question={t('members.ownRole', { role: roleName(ownRole) })}
              explanation={t('members.ownRole.text')}
              onConfirm={() => void saveRole(ownRole)}
              onClose={() => setOwnRole(undefined)}
            />
          )}
          <Menu
            label={t('members.manage', { name: user.full_name })}
            trigger={(props) => (
              <IconButton {...props} label={t('members.manage', { name: user.full_name })} icon="ellipsis" />
            )}
            items={[
              ...(user.user_id === viewerId
                ? []
                : [{ label: t('members.sendPassword'), icon: 'key-round' as const, onSelect: () => void reset() }]),
              ...(user.user_id === viewerId || !mayChangeEmails
                ? []
                : [
                    {
                      label: t('members.changeEmail'),
                      icon: 'mail' as const,
                      onSelect: () => onOpen({ kind: 'email', user }),
                    },
                  ]),
              {
                label: t('members.sessions'),
                icon: 'monitor-smartphone',
                onSelect: () => onOpen({ kind: 'sessions', user }),
              },
              {
                label: t('members.endSessions'),
                icon: 'log-out',
                onSelect: () =>
                  void save(() => client.call('revokeUserKeys', { path }), {
                    text: t('members.signedOut', { name: user.full_name }),
                  }),
              },
              {
                label: t('members.resetFactors'),
                icon: 'lock',
                onSelect: () =>
                  void save(() => client.call('resetSecondFactors', { path }), {
                    text: t('members.factorsReset', { name: user.full_name }),
                  }),
              },
              ...(user.user_id === viewerId
                ? []
                : [{ label: t('members.suspend'), icon: 'clock' as const, onSelect: () => onSuspend(user) }]),
              {
                label: t('common.deactivate'),
                icon: 'trash',
                isDanger: true,
                onSelect: () =>
                  void save(deactivate, {
                    undo: reactivate,
                    text: t('members.wasDeactivated', { name: user.full_name }),
                  }),
              },
            ]}
          />
        </>
      ) : isManaged ? (
        <Button
          look="outline"
          onClick={() =>
            void save(reactivate, { undo: deactivate, text: t('members.wasReactivated', { name: user.full_name }) })
          }
        >
          {t('common.reactivate')}
        </Button>
      ) : (
        <span className="tag">{roleName(user.role)}</span>
      )}
    </Line>
  )
}
