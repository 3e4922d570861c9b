import { Type } from 'typebox'
import { id } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

/** Why a message is reported, with the words that moderators read. */
export const reportTypes = {
  spam: 'Spam',
  harassment: 'Harassment',
  inappropriate: 'Inappropriate content',
  norms: 'Violates the norms of this organization',
  other: 'Other reason',
} as const
export type ReportType = keyof typeof reportTypes

export const reportMessage = operation({
  name: 'reportMessage',
  method: 'POST',
  path: '/messages/{message_id}/report',
  access: 'user',
  tag: 'Messages',
  summary: 'Report a message to the moderators, in the channel that the organization chose for it.',
  pathParams: { message_id: id },
  params: {
    report_type: Type.Enum(Object.keys(reportTypes) as ReportType[]),
    description: Type.Optional(
      Type.String({ maxLength: textLimits.reportDescription, description: 'Required for `other`.' }),
    ),
  },
})
