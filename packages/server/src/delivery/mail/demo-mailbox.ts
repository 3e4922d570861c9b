import { sql } from 'kysely'
import type { Database, Db } from '../../platform/db/pool.ts'
import { headerText } from './header-text.ts'
import type { Mailer } from './mailer.ts'

const maxKept = 100

export interface DemoMail {
  id: number
  caught_at: Date
  recipient: string
  subject: string
  text: string
  html: string
}

/** Stores emails instead of sending them, so that they can be viewed. */
export function demoMailer(db: Database): Mailer {
  return {
    send: async ({ address }, { subject, text, html }) => {
      await db
        .insertInto('caught_mail')
        .values({ recipient: address, subject: headerText(subject), text, html })
        .execute()
      await sql`delete from caught_mail where id <= (select max(id) from caught_mail) - ${maxKept}`.execute(db)
    },
    close: () => {},
  }
}

/** Newest first. */
export function readDemoMail(db: Db): Promise<DemoMail[]> {
  return db.selectFrom('caught_mail').selectAll().orderBy('id', 'desc').execute()
}
