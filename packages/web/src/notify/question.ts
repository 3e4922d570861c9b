import type { ShownMessage } from '@parley/client/messages/cache'
import type { Store } from '@parley/client/store/store'
import { t } from '../platform/i18n.ts'

type Asks = (store: Store, message: ShownMessage) => string

/** Set once what decides is loaded, which the first messages need not wait for. */
let asks: Asks | undefined

export function setQuestion(next: Asks): void {
  asks = next
}

/** The question that the menu of a message offers: why it notified, or why not. */
export function whyQuestion(store: Store, message: ShownMessage): string {
  return asks?.(store, message) ?? t('notify.why')
}
