import { type reportMessage as ReportMessage, reportTypes } from '@parley/api/conversations/reports'
import { maxMessageLength, maxTopicLength } from '@parley/api/message-limits'
import type { ParamsOf } from '@parley/api/operation'
import type { Caller } from '../../../callers/caller.ts'
import { type Commits, type Context, transactIn } from '../../../context.ts'
import { findUser } from '../../../people/users/find-users.ts'
import { findSystemBot } from '../../../people/users/system-bots.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { type Channel, findActiveChannel } from '../../channels/access.ts'
import type { Message } from '../model/access.ts'
import { renderAs } from '../send/compose.ts'
import { sendNotices } from '../send/notices.ts'
import { authorOf, linkToMessage, quotation } from '../send/quote-message.ts'

type Deps = Commits & Pick<Context, 'renderer'>
type Report = ParamsOf<typeof ReportMessage>

class ReportsAreOff extends ApiError {
  constructor() {
    super('This organization has no channel for reports of messages. Ask a moderator directly.')
  }
}

/** A report of type `other` says nothing without a description. */
export function checkReport({ report_type, description }: Report): void {
  if (report_type === 'other' && !description?.trim())
    throw new ApiError('Describe what is wrong with the message, or choose another reason.')
}

/** Posts a report in the organization's channel for it, in one topic for each author. Only its readers see it. */
export async function reportMessage(ctx: Deps, caller: Caller, message: Message, report: Report): Promise<void> {
  const channel = await reportChannel(ctx, caller)
  const content = await reportText(ctx, caller, message, report)
  const rendered = await renderAs(ctx, caller, content)
  const topic = await topicOf(ctx, caller, message)
  await transactIn(ctx, caller.realm_id, async (tx) => {
    const sender = await findSystemBot(tx.db, caller.realm, 'notification')
    const destination = { kind: 'channel', channel, topic } as const
    await sendNotices(tx, ctx, caller.realm, [{ sender, destination, content, rendered }])
  })
}

async function reportChannel({ db }: Deps, { realm }: Caller): Promise<Channel> {
  const channel = await findActiveChannel(db, realm.id, realm.settings.moderation_request_channel_id)
  if (!channel) throw new ReportsAreOff()
  return channel
}

/** A name that the reporter may not know is not hidden from moderators. */
async function topicOf({ db }: Deps, { state }: Caller, { sender_id }: Message): Promise<string> {
  const author = await findUser(db, state, sender_id)
  return `Reports: ${author!.full_name}`.slice(0, maxTopicLength).toWellFormed()
}

async function reportText({ db }: Deps, caller: Caller, message: Message, report: Report): Promise<string> {
  const reason = reportTypes[report.report_type]
  const description = report.description?.trim()
  const author = (await authorOf(db, caller, message)) ?? 'an author hidden from the reporter'
  const begin = [
    `@_**${caller.full_name}|${caller.id}** reports a message of ${author}: ${await linkToMessage(db, caller, message)}`,
    `**${reason}**`,
    ...(description ? [quotation(description, description.length + 100)] : []),
    'The message:',
  ].join('\n\n')
  return `${begin}\n${quotation(message.content, maxMessageLength - begin.length - 1)}`
}
