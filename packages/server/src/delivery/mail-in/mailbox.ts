/** Among the options of an accepted email: it is a report about the delivery of one of ours. */
export const bounceOption = 'bounce'

/** Where an email goes. */
export interface Mailbox {
  realmId: number
  /** The same for all emails to one place; part of what makes a repeated email recognizable. */
  key: string
  /** Columns of `incoming_emails`. */
  columns: {
    /** In whose name it is posted. */
    user_id: number
    message_id?: number
    channel_id?: number
    creator_id?: number
    options?: string[]
  }
  /** It takes reports about the delivery of emails, which have no sender. */
  isForReports?: true
}
