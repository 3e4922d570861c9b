import type { Role } from '@parley/api/common'
import { isAdmin } from '@parley/api/permissions'
import { roles } from '@parley/api/roles'
import { useEffect, useState } from 'react'
import { nameOf } from '../people/presence.ts'
import { useMay } from '../permissions/use-may.ts'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { named, Select } from '../settings/choices.tsx'
import { ConfirmButton } from '../settings/confirm.tsx'
import { Card, Copyable, Line, OnceButton } from '../settings/controls.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { copyText, reasonOf, save } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { showToast } from '../ui/toast.tsx'
import { InviteChannels } from './invite-channels.tsx'
import { emailsIn, roleName, rolesFor } from './model.ts'

export function InvitationsPage() {
  const session = useSession()
  const { client } = session
  const store = useSlices('users')
  const invites = useLoaded(() => client.call('getInvitations').then((answer) => answer.invites))
  const { reload } = invites
  useEffect(() => session.onEvent(({ type }) => type === 'invites_changed' && reload()), [session, reload])
  const revoke = (id: number, is_multiuse: boolean) =>
    save(
      () =>
        is_multiuse
          ? client.call('revokeInvitationLink', { path: { invite_id: id } })
          : client.call('revokeInvitation', { path: { invite_id: id } }),
      { text: t('common.revoked') },
    ).then(reload)
  const resend = (id: number) =>
    client.call('resendInvitation', { path: { invite_id: id } }).then(
      ({ link_url }) => (link_url ? copyText(link_url) : showToast({ text: t('invitations.sentAgain') })),
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  const mayInvite = useMay('can_invite_users_group')
  return (
    <>
      {mayInvite && <InviteForm onInvited={reload} />}
      <Card title={t('invitations.open')}>
        <Loaded of={invites}>
          {(list) =>
            list.length === 0 ? (
              <p className="none-yet">{t('invitations.none')}</p>
            ) : (
              list.map(({ id, email, is_multiuse, invited_by_user_id, invited, expiry_date, invited_as, link_url }) => (
                <Line
                  key={`${is_multiuse} ${id}`}
                  start={<Icon name={is_multiuse ? 'link' : 'mail-plus'} />}
                  label={email ?? t('invitations.linkForMany')}
                  detail={[
                    roleName(invited_as),
                    t('invitations.by', { name: nameOf(store, invited_by_user_id), time: shortTime(invited) }),
                    expiry_date === null
                      ? t('invitations.forever')
                      : t('invitations.until', { time: shortTime(expiry_date) }),
                  ].join(' · ')}
                >
                  {link_url && (
                    <Button look="outline" icon="copy" onClick={() => void copyText(link_url)}>
                      {t('message.copyLink')}
                    </Button>
                  )}
                  {!is_multiuse && <OnceButton onPress={() => resend(id)}>{t('invitations.resend')}</OnceButton>}
                  <ConfirmButton
                    label={t('common.revoke')}
                    question={t('invitations.revokeQuestion')}
                    explanation={t('invitations.revokeText')}
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
  [1440, 'invitations.in1day'],
  [4320, 'invitations.in3days'],
  [14_400, 'invitations.in10days'],
  [43_200, 'expiry.days30'],
  [null, 'common.never'],
] as const

function InviteForm({ onInvited }: { onInvited: () => void }) {
  const { client } = useSession()
  const store = useSlices('defaultChannels', 'viewer')
  const viewerRole = store.viewer.role
  const mayLink = useMay('create_multiuse_invite_group')
  const [role, setRole] = useState<Role>(roles.member)
  const [expiry, setExpiry] = useState<number | null>(14_400)
  const [links, setLinks] = useState<{ email: string; link_url: string }[]>([])
  const [chosen, setChosen] = useState<number[]>()
  // Guests see only the channels that they are given, so they start with none.
  const channels = chosen ?? (role === roles.guest ? [] : store.defaultChannels.ids)
  const isUsual = chosen === undefined && role !== roles.guest
  const places = isUsual ? { include_realm_default_subscriptions: true } : { stream_ids: [...channels] }
  const common = { invite_as: role, invite_expires_in_minutes: expiry, ...places }
  const invite = async (values: FormData) => {
    const emails = emailsIn(String(values.get('emails')))
    if (emails.length === 0) return t('invitations.emailMissing')
    try {
      const { invite_links = [] } = await client.call('sendInvitations', {
        invitee_emails: emails.join(','),
        ...common,
      })
      setLinks(invite_links)
      if (invite_links.length === 0) showToast({ text: t('invitations.invited', { count: emails.length }) })
      onInvited()
    } catch (error) {
      return reasonOf(error)
    }
  }
  const createLink = () =>
    client.call('createInvitationLink', common).then(
      ({ invite_link }) => {
        setLinks([{ email: t('invitations.linkForMany'), link_url: invite_link }])
        onInvited()
      },
      (error) => showToast({ text: reasonOf(error), isError: true }),
    )
  return (
    <Card title={t('invitations.invitePeople')}>
      {links.length > 0 && (
        <div className="note" role="status">
          <b>{t('invitations.passOn')}</b>
          {links.map(({ email, link_url }) => (
            <div key={link_url}>
              {email}
              <Copyable label={t('invitations.linkFor', { name: email })} text={link_url} />
            </div>
          ))}
        </div>
      )}
      <Form button={t('invitations.invite')} onSend={invite}>
        <Field label={t('invitations.emails')} hint={t('invitations.emailsHint')}>
          {(id) => <textarea id={id} name="emails" rows={3} className="text-input" placeholder="ann@example.com" />}
        </Field>
        <div className="form-row">
          <div className="form-field">
            <span>{t('invitations.joinAs')}</span>
            <Select
              label={t('invitations.joinAs')}
              value={role}
              choices={named(rolesFor(viewerRole).filter(([one]) => isAdmin(store.viewer) || one >= roles.member))}
              onChange={setRole}
            />
          </div>
          <div className="form-field">
            <span>{t('expiry.label')}</span>
            <Select label={t('expiry.label')} value={expiry} choices={named(expiries)} onChange={setExpiry} />
          </div>
        </div>
        <InviteChannels chosen={channels} onChange={setChosen} />
      </Form>
      {mayLink && (
        <Line label={t('invitations.oneLink')} detail={t('invitations.oneLink.text')}>
          <OnceButton icon="link" onPress={createLink}>
            {t('invitations.createLink')}
          </OnceButton>
        </Line>
      )}
    </Card>
  )
}
