import { createHash, randomInt } from 'node:crypto'
import type { createBigBlueButtonCall } from '@parley/api/delivery/calls'
import type { ParamsOf } from '@parley/api/operation'
import { request } from 'undici'
import type { Caller } from '../../callers/caller.ts'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { Vault } from '../../platform/secrets.ts'

type BigBlueButton = NonNullable<Config['bigBlueButton']>

interface Call {
  realm_id: number
  meeting_id: string
  name: string
  voice_only: boolean
  moderator_id: number
}

export function accessServer({ bigBlueButton }: Pick<Config, 'bigBlueButton'>): BigBlueButton {
  if (!bigBlueButton) throw new ApiError('BigBlueButton is not configured.')
  return bigBlueButton
}

/** Where the call can be joined. The call is in the token, so that users cannot reach other meetings of the server. */
export function callPath(vault: Vault, caller: Caller, params: ParamsOf<typeof createBigBlueButtonCall>): string {
  const call: Call = {
    realm_id: caller.realm_id,
    meeting_id: `parley-${randomInt(2 ** 47)}`,
    name: params.meeting_name,
    voice_only: params.voice_only,
    moderator_id: caller.id,
  }
  return `/calls/bigbluebutton/join?bigbluebutton=${vault.sealToken('call', call)}`
}

export function accessCall(vault: Vault, { realm_id }: Caller, token: string): Call {
  const call = vault.openToken('call', token) as Call | undefined
  if (call?.realm_id !== realm_id) throw new ApiError('There is no such call.', 'NOT_FOUND')
  return call
}

/** Creates the meeting, unless someone has joined it before, and returns the URL with which this user enters it. */
export async function joinUrl(
  server: BigBlueButton,
  log: Context['log'],
  call: Call,
  user: Pick<Caller, 'id' | 'full_name'>,
): Promise<string> {
  const { meeting_id: meetingID, name, voice_only, moderator_id } = call
  const params = { meetingID, name, lockSettingsDisableCam: String(voice_only) }
  const created = await ask(signedUrl(server, 'create', params)).catch((error: unknown) => {
    log.warn({ err: error }, 'the video call server failed')
    throw new ApiError('The video call server does not work at the moment.', 'SERVICE_UNAVAILABLE')
  })
  const createTime = /<createTime>(\d+)<\/createTime>/.exec(created)?.[1] ?? ''
  const role = user.id === moderator_id ? 'MODERATOR' : 'VIEWER'
  return signedUrl(server, 'join', { meetingID, role, fullName: user.full_name, createTime })
}

/** The operator chose the server, so it may be an internal host. */
async function ask(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(10_000) })
  const text = await body.text()
  if (text.includes('<returncode>SUCCESS</returncode>')) return text
  throw new Error(`It answered ${statusCode} ${/<messageKey>(\w+)/.exec(text)?.[1] ?? ''}`)
}

/** BigBlueButton authenticates requests by a checksum over the action, the query and the shared secret. */
function signedUrl({ url, secret }: BigBlueButton, action: string, params: Record<string, string>): string {
  const query = new URLSearchParams(params).toString()
  const checksum = createHash('sha256').update(`${action}${query}${secret}`).digest('hex')
  return `${url}/api/${action}?${query}&checksum=${checksum}`
}
