import type { StoredUser } from '@parley/client/users'
import { useState } from 'react'
import { PresentAvatar } from '../people/avatar.tsx'
import { useSession, useStore } from '../session/context.tsx'
import { Card, Copyable, Line, Select } from '../settings/controls.tsx'
import { matching } from '../settings/model.ts'
import { reasonOf, save } from '../settings/saving.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { showToast } from '../ui/toast.tsx'
import { mayManage, roleName, rolesFor } from './model.ts'

const shown = 100

export function MembersPage() {
  const store = useStore()
  const { viewerId } = useSession()
  const [query, setQuery] = useState('')
  const [isActive, setActive] = useState(true)
  const [resetUrl, setResetUrl] = useState('')
  const viewerRole = store.users.byId.get(viewerId)?.role ?? 600
  const people = [...store.users.byId.values()]
    .filter((user) => !user.is_bot && user.is_active === isActive)
    .sort((a, b) => a.full_name.localeCompare(b.full_name))
    .map((user) => ({ label: user.full_name, detail: `${user.email} ${roleName(user.role)}`, user }))
  const found = matching(people, query)
  return (
    <>
      <div className="card-tools">
        <input
          type="search"
          className="text-input"
          aria-label="Find a person"
          placeholder="Find by name, email or role"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <div className="seg end">
          {[true, false].map((value) => (
            <Button
              key={String(value)}
              look={isActive === value ? 'on' : ''}
              aria-pressed={isActive === value}
              onClick={() => setActive(value)}
            >
              {value ? 'Active' : 'Deactivated'}
            </Button>
          ))}
        </div>
      </div>
      <Card title={`${found.length} ${found.length === 1 ? 'person' : 'people'}`}>
        {found.slice(0, shown).map(({ user }) => (
          <MemberLine key={user.user_id} user={user} viewerRole={viewerRole} onReset={setResetUrl} />
        ))}
        {found.length === 0 && <p className="none-yet">Nobody matches.</p>}
        {found.length > shown && <p className="none-yet">{found.length - shown} more. Search to find them.</p>}
      </Card>
      {resetUrl && (
        <Dialog title="Pass this link on" onClose={() => setResetUrl('')}>
          <p className="dialog-text">
            This server sends no email. The link sets a new password and works for 30 minutes.
          </p>
          <Copyable label="Link for a new password" text={resetUrl} />
        </Dialog>
      )}
    </>
  )
}

interface MemberProps {
  user: StoredUser
  viewerRole: number
  onReset: (url: string) => void
}

function MemberLine({ user, viewerRole, onReset }: MemberProps) {
  const { client, viewerId } = useSession()
  const path = { user_id: user.user_id }
  const isManaged = mayManage(viewerRole, user.role)
  const setRole = (role: 100 | 200 | 300 | 400 | 600) => client.call('updateUser', { path, role })
  const deactivate = () => client.call('deactivateUser', { path })
  const reactivate = () => client.call('reactivateUser', { path })
  const reset = () =>
    client.call('sendPasswordReset', { path }).then(
      ({ reset_url }) => (reset_url ? onReset(reset_url) : showToast({ text: `A link was sent to ${user.full_name}` })),
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  return (
    <Line
      start={<PresentAvatar userId={user.user_id} size="md" />}
      label={user.user_id === viewerId ? `${user.full_name} (you)` : user.full_name}
      detail={user.delivery_email ?? user.email}
    >
      {isManaged && user.is_active ? (
        <>
          <Select
            label={`Role of ${user.full_name}`}
            value={user.role}
            choices={rolesFor(viewerRole)}
            onChange={(role) => void save(() => setRole(role), { undo: () => setRole(user.role) })}
          />
          <Menu
            label={`Manage ${user.full_name}`}
            trigger={(props) => <IconButton {...props} label={`Manage ${user.full_name}`} icon="ellipsis" />}
            items={[
              { label: 'Send a password link', icon: 'key-round', onSelect: () => void reset() },
              {
                label: 'End sessions and keys',
                icon: 'log-out',
                onSelect: () =>
                  void save(() => client.call('revokeUserKeys', { path }), {
                    text: `${user.full_name} is signed out everywhere`,
                  }),
              },
              {
                label: 'Deactivate',
                icon: 'trash',
                isDanger: true,
                onSelect: () => void save(deactivate, { undo: reactivate, text: `${user.full_name} was deactivated` }),
              },
            ]}
          />
        </>
      ) : isManaged ? (
        <Button
          look="outline"
          onClick={() => void save(reactivate, { undo: deactivate, text: `${user.full_name} was reactivated` })}
        >
          Reactivate
        </Button>
      ) : (
        <span className="tag">{roleName(user.role)}</span>
      )}
    </Line>
  )
}
