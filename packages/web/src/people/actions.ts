import type { Session } from '@parley/client/session/session'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'

export function setMuted({ client }: Session, userId: number, isMuted: boolean): void {
  const call = (mutes: boolean) => client.call(mutes ? 'muteUser' : 'unmuteUser', { path: { muted_user_id: userId } })
  void act(call(isMuted), isMuted ? t('people.muted') : t('people.unmuted'), () => void act(call(!isMuted)))
}
