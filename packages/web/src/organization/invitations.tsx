import { useEffect, useState } from 'react'
import { nameOf } from '../people/presence.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Card, ConfirmButton, Copyable, Field, Form, Line, Select } from '../settings/controls.tsx'
import { Loaded, useLoaded } from '../settings/loading.tsx'
import { copyText, reasonOf, save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { showToast } from '../ui/toast.tsx'
import { emailsIn, roleName, rolesFor } from './model.ts'

export function InvitationsPage() {
  const session = useSession()
  const { client } = session
  const store = useStore()
  const invites = useLoaded(() => client.call('getInvitations').then((answer) => answer.invites))
  const { reload } = invites
  useEffect(() => session.onEvent(({ type }) => type === 'invites_changed' && reload()), [session, reload])
  const revoke = (id: number, is_multiuse: boolean) =>
    save(
      () =>
        is_multiuse
          ? client.call('revokeInvitationLink', { path: { invite_id: id } })
          : client.call('revokeInvitation', { path: { invite_id: id } }),
      { text: 'Revoked' },
    ).then(reload)
  const resend = (id: number) =>
    client.call('resendInvitation', { path: { invite_id: id } }).then(
      ({ link_url }) => (link_url ? copyText(link_url) : showToast({ text: 'Sent again' })),
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  const rights = store.account.snapshot() as { can_invite_others_to_realm?: boolean }
  return (
    <>
      {rights.can_invite_others_to_realm && <InviteForm onInvited={reload} />}
      <Card title="Open invitations">
        <Loaded of={invites}>
          {(list) =>
            list.length === 0 ? (
              <p className="none-yet">Nobody is invited at the moment.</p>
            ) : (
              list.map(({ id, email, is_multiuse, invited_by_user_id, invited, expiry_date, invited_as, link_url }) => (
                <Line
                  key={`${is_multiuse} ${id}`}
                  start={<Icon name={is_multiuse ? 'link' : 'mail-plus'} />}
                  label={email ?? 'Link for many people'}
                  detail={[
                    roleName(invited_as),
                    `by ${nameOf(store, invited_by_user_id)}, ${shortTime(invited)}`,
                    expiry_date === null ? 'does not expire' : `until ${shortTime(expiry_date)}`,
                  ].join(' · ')}
                >
                  {link_url && (
                    <Button look="outline" icon="copy" onClick={() => void copyText(link_url)}>
                      Copy link
                    </Button>
                  )}
                  {!is_multiuse && (
                    <Button look="outline" onClick={() => void resend(id)}>
                      Resend
                    </Button>
                  )}
                  <ConfirmButton
                    label="Revoke"
                    question="Revoke this invitation?"
                    explanation="Its link stops working immediately."
                    onConfirm={() => void revoke(id, is_multiuse)}
                  />
                </Line>
              ))
            )
          }
        </Loaded>
      </Card>
    </>
  )
}

const expiries = [
  [1440, 'In 1 day'],
  [4320, 'In 3 days'],
  [14_400, 'In 10 days'],
  [43_200, 'In 30 days'],
  [null, 'Never'],
] as const

function InviteForm({ onInvited }: { onInvited: () => void }) {
  const { client, viewerId } = useSession()
  const store = useStore()
  const viewerRole = store.users.byId.get(viewerId)?.role ?? 600
  const [role, setRole] = useState<100 | 200 | 300 | 400 | 600>(400)
  const [expiry, setExpiry] = useState<number | null>(14_400)
  const [links, setLinks] = useState<{ email: string; link_url: string }[]>([])
  const common = { invite_as: role, invite_expires_in_minutes: expiry, include_realm_default_subscriptions: true }
  const invite = async (values: FormData) => {
    const emails = emailsIn(String(values.get('emails')))
    if (emails.length === 0) return 'Enter at least one email.'
    try {
      const { invite_links = [] } = await client.call('sendInvitations', {
        invitee_emails: emails.join(','),
        ...common,
      })
      setLinks(invite_links)
      if (invite_links.length === 0)
        showToast({ text: emails.length === 1 ? 'Invited' : `${emails.length} people invited` })
      onInvited()
    } catch (error) {
      return reasonOf(error)
    }
  }
  const createLink = () =>
    client.call('createInvitationLink', common).then(
      ({ invite_link }) => {
        setLinks([{ email: 'Link for many people', link_url: invite_link }])
        onInvited()
      },
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  return (
    <Card title="Invite people">
      {links.length > 0 && (
        <div className="note" role="status">
          <b>Pass these links on.</b>
          {links.map(({ email, link_url }) => (
            <div key={link_url}>
              {email}
              <Copyable label={`Link for ${email}`} text={link_url} />
            </div>
          ))}
        </div>
      )}
      <Form button="Invite" onSend={invite}>
        <Field label="Emails" hint="Separated by commas or lines">
          {(id) => <textarea id={id} name="emails" rows={3} className="text-input" placeholder="ann@example.com" />}
        </Field>
        <div className="form-row">
          <div className="form-field">
            <span>They join as</span>
            <Select
              label="They join as"
              value={role}
              choices={viewerRole <= 200 ? rolesFor(viewerRole) : rolesFor(viewerRole).filter(([one]) => one >= 400)}
              onChange={setRole}
            />
          </div>
          <div className="form-field">
            <span>It expires</span>
            <Select label="It expires" value={expiry} choices={expiries} onChange={setExpiry} />
          </div>
        </div>
      </Form>
      <Line label="One link for many people" detail="With the role and expiry above">
        <Button look="outline" icon="link" onClick={() => void createLink()}>
          Create link
        </Button>
      </Line>
    </Card>
  )
}
