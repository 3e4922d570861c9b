import type { ParleyClient } from '@parley/client/wire/client'
import { type PlainId, t } from '../../platform/i18n.ts'
import { exactTime } from '../../platform/times.ts'
import { useSession } from '../../session/context.tsx'
import { Loaded, useLoaded } from '../../session/loading.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ConfirmButton } from '../confirm.tsx'
import { Line } from '../controls.tsx'
import { save } from '../saving.ts'

type Kind = 'bot' | 'token' | 'hook' | 'passkey' | 'invitation' | 'account'
interface Item {
  kind: Kind
  id: number
  name: string
  created_at: number
}

const kinds: Record<Kind, PlainId> = {
  bot: 'lasting.bot',
  token: 'lasting.token',
  hook: 'lasting.hook',
  passkey: 'lasting.passkey',
  invitation: 'lasting.invitation',
  account: 'lasting.account',
}

/** Whether there is something to review. If that cannot be loaded, the dialog says so. */
export function hasLastingAccess(client: ParleyClient): Promise<boolean> {
  return client.call('getLastingAccess').then(
    ({ items }) => items.length > 0,
    () => true,
  )
}

/** What still gives access after signing out everywhere: shown then, so that nothing of a thief stays. */
export function LastingAccessDialog({ onClose }: { onClose: () => void }) {
  const { client } = useSession()
  const items = useLoaded(() => client.call('getLastingAccess').then((answer) => answer.items))
  return (
    <Dialog title={t('lasting.title')} onClose={onClose}>
      <p className="dialog-text">{t('lasting.text')}</p>
      <Loaded of={items}>
        {(list) =>
          list.length === 0 ? (
            <p className="none-yet">{t('lasting.none')}</p>
          ) : (
            list.map((item) => (
              <Line
                key={`${item.kind} ${item.id}`}
                label={item.name || t('lasting.link')}
                detail={`${t(kinds[item.kind])} · ${exactTime(item.created_at)}`}
              >
                <RemoveItem item={item} onRemoved={items.reload} />
              </Line>
            ))
          )
        }
      </Loaded>
    </Dialog>
  )
}

function RemoveItem({ item, onRemoved }: { item: Item; onRemoved: () => void }) {
  const { client } = useSession()
  const { kind, id, name } = item
  if (kind === 'passkey')
    return (
      <a className="btn outline" href="/second-factor">
        {t('bots.manage')}
      </a>
    )
  const remove = () => {
    if (kind === 'bot') return client.call('deactivateBot', { path: { bot_id: id } })
    if (kind === 'token') return client.call('revokeToken', { path: { token_id: id } })
    if (kind === 'hook') return client.call('deleteHook', { path: { hook_id: id } })
    if (kind === 'account') return client.call('deactivateUser', { path: { user_id: id } })
    return client.call(name === '' ? 'revokeInvitationLink' : 'revokeInvitation', { path: { invite_id: id } })
  }
  const isAccount = kind === 'bot' || kind === 'account'
  return (
    <ConfirmButton
      label={isAccount ? t('common.deactivate') : t('common.revoke')}
      question={t('lasting.removeQuestion', { name: name || t('lasting.link') })}
      explanation={t('lasting.removeText')}
      onConfirm={() =>
        void save(remove, { text: isAccount ? t('people.deactivated') : t('common.revoked') }).then(onRemoved)
      }
    />
  )
}
