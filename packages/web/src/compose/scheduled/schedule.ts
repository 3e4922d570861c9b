import type { ScheduledObject } from '@parley/api/conversations/scheduled'
import type { Destination } from '@parley/client/session/outbox'
import { t } from '../../platform/i18n.ts'

export interface SendTime {
  label: string
  /** In seconds. */
  at: number
}

const morning = 9
const afternoon = 16
const monday = 1

/** Times at which people send messages later, in the viewer's time zone. */
export function sendTimes(now: Date): SendTime[] {
  const today = atHour(now, 0, afternoon)
  const tomorrow = atHour(now, 1, morning)
  const days = (monday - now.getDay() + 7) % 7 || 7
  return [
    { label: t('schedule.inOneHour'), at: now.getTime() + 3_600_000 },
    ...(today - now.getTime() > 5_400_000 ? [{ label: t('schedule.afternoon'), at: today }] : []),
    { label: t('schedule.tomorrow'), at: tomorrow },
    ...(days > 1 ? [{ label: t('schedule.monday'), at: atHour(now, days, morning) }] : []),
  ].map(({ label, at }) => ({ label, at: Math.floor(at / 1000) }))
}

/** Times at which people want to be reminded. */
export function reminderTimes(now: Date): SendTime[] {
  const days = (monday - now.getDay() + 7) % 7 || 7
  return [
    { label: t('schedule.inOneHour'), at: now.getTime() + 3_600_000 },
    { label: t('schedule.tomorrow'), at: atHour(now, 1, morning) },
    { label: t('reminder.nextWeek'), at: atHour(now, days > 1 ? days : 8, morning) },
  ].map(({ label, at }) => ({ label, at: Math.floor(at / 1000) }))
}

function atHour(now: Date, days: number, hour: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).getTime()
}

/** The form that an input for a local date and time has. */
export function localInput(seconds: number): string {
  const date = new Date(seconds * 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Undefined if it is incomplete. */
export function fromLocalInput(text: string): number | undefined {
  const seconds = Math.floor(new Date(text).getTime() / 1000)
  return Number.isNaN(seconds) ? undefined : seconds
}

export function destinationOf({ to, topic }: Pick<ScheduledObject, 'to' | 'topic'>): Destination {
  return typeof to === 'number' ? { stream_id: to, topic: topic ?? '' } : { user_ids: to }
}
