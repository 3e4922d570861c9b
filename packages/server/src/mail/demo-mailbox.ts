import { sql } from 'kysely'
import type { Database, Db } from '../platform/db/pool.ts'
import type { Mailer } from './mailer.ts'

const mostKept = 100

export interface DemoMail {
  id: number
  caught_at: Date
  recipient: string
  subject: string
  text: string
  html: string
}

/** Keeps what would have been sent, so that one can look at it. */
export function demoMailer(db: Database): Mailer {
  return {
    send: async ({ address }, letter) => {
      await db
        .insertInto('caught_mail')
        .values({ recipient: address, ...letter })
        .execute()
      await sql`delete from caught_mail where id <= (select max(id) from caught_mail) - ${mostKept}`.execute(db)
    },
    close: () => {},
  }
}

/** The newest first. */
export function readDemoMail(db: Db): Promise<DemoMail[]> {
  return db.selectFrom('caught_mail').selectAll().orderBy('id', 'desc').execute()
}
