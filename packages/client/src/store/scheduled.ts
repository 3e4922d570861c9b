import type { QueueEvent } from '@parley/api/events'
import type { ReminderState, ScheduledState, Slice, State } from './state.ts'

type Scheduled = ScheduledState['scheduled_messages'][number]
type Reminder = ReminderState['reminders'][number]

/** The viewer's scheduled messages. */
export class ScheduledMessages implements Slice {
  readonly events = ['scheduled_messages'] as const
  readonly fields = ['scheduled_messages'] as const
  readonly byId: Map<number, Scheduled>

  constructor({ scheduled_messages = [] }: State) {
    this.byId = new Map(scheduled_messages.map((message) => [message.scheduled_message_id, message]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'scheduled_messages') return
    if (event.op === 'remove') this.byId.delete(event.scheduled_message_id)
    else
      for (const message of event.op === 'add' ? event.scheduled_messages : [event.scheduled_message])
        this.#keep(message)
  }

  #keep(message: Scheduled): void {
    this.byId.set(message.scheduled_message_id, message)
  }

  /** In the order in which they will be sent. */
  snapshot(): ScheduledState {
    return { scheduled_messages: [...this.byId.values()].sort(byTime) }
  }
}

function byTime(a: Scheduled, b: Scheduled): number {
  return (
    a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp || a.scheduled_message_id - b.scheduled_message_id
  )
}

/** The viewer's reminders. */
export class Reminders implements Slice {
  readonly events = ['reminders'] as const
  readonly fields = ['reminders'] as const
  readonly byId: Map<number, Reminder>

  constructor({ reminders = [] }: State) {
    this.byId = new Map(reminders.map((reminder) => [reminder.reminder_id, reminder]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'reminders') return
    if (event.op === 'remove') this.byId.delete(event.reminder_id)
    else for (const reminder of event.reminders) this.byId.set(reminder.reminder_id, reminder)
  }

  /** In the order in which they are due. */
  snapshot(): ReminderState {
    return { reminders: [...this.byId.values()].sort(byReminderTime) }
  }
}

function byReminderTime(a: Reminder, b: Reminder): number {
  return a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp || a.reminder_id - b.reminder_id
}
