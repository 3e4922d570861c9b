import { realmGroupSettings } from '@parley/api/permission-settings'
import { mayInRealm } from '@parley/api/permissions'
import type { ShownMessage } from '@parley/client/messages/cache'
import type { Slices } from '@parley/client/store/store'
import { t } from '../platform/i18n.ts'
import { mayMove, moves } from './messages.ts'
import { type Explanation, explainPermission, explainText } from './why.ts'

/** Why a message may not be moved to another topic or channel; undefined if it may. */
export function explainMove(
  store: Slices<'groups' | 'realm' | 'users' | 'viewer'>,
  message: ShownMessage,
  to: keyof typeof moves,
): Explanation | undefined {
  const move = moves[to]
  if (mayMove(store, message, move)) return undefined
  if (mayInRealm(store.viewer, store.realm, move.group)) return explainText(t('why.tooOld'))
  const holders = store.realm.permissions[move.group]!
  return explainPermission(store, holders, realmGroupSettings[move.group].allowsEveryone)
}
