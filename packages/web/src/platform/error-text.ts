import { DeliveryExpired } from '@parley/client/session/deliveries'
import { ParleyError } from '@parley/client/wire/errors'
import { t } from './i18n.ts'

/** The server says in English why it refuses; everything else means that it did not answer. */
export function errorText(error: unknown): string {
  if (error instanceof DeliveryExpired) return failureText(error.message)
  return error instanceof ParleyError ? error.message : t('error.unreachable')
}

/** Why a message was not sent. */
export function failureText(failure: string): string {
  return failure === DeliveryExpired.text ? t('error.expired') : failure
}
