import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../../platform/postgres/test-support.ts'
import { newMailReceiver, type ReceivedMail } from '../../../../testing/peers/mail-receiver.ts'
import { type Program, startParley } from '../../../../testing/program.ts'
import { until } from '../../../../testing/until.ts'

const people = Number(process.env.JOINING_PEOPLE ?? 10)
const password = 'quite a long sentence'

/** Submits a form as a browser does, without following redirects. */
async function submit({ url }: Program, path: string, form: Record<string, string>, cookie = ''): Promise<Response> {
  const body = new URLSearchParams(form)
  return fetch(url + path, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { origin: new URL(url).origin, cookie },
  })
}

const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!

/** Steps 1 and 2 of the page behind the link that the server prints. Returns the owner's cookie. */
async function setUp(server: Program): Promise<string> {
  const link = /http\S+(\/start\/\S+)/.exec(server.output())![1]!
  const { hostname: host } = new URL(server.url)
  const owner = { name: 'Harbour Labs', host, full_name: 'Olivia', email: 'olivia@example.com', password }
  const created = await submit(server, link, { ...owner, step: 'owner' })
  assert.equal(created.headers.get('location'), '/start/invite')
  return cookieOf(created)
}

function joinPath({ source }: ReceivedMail): string {
  const text = source.replace(/=\n/g, '').replaceAll('=3D', '=')
  return new URL(/^https?:\/\/\S+\/join\/\S+$/m.exec(text)![0]).pathname
}

test(`from an empty folder to ${people} accounts by email, without a shell after the start`, async (t) => {
  const receiver = await newMailReceiver()
  const dataDir = join(tempFolder(t), 'data')
  const server = await startParley(t, [], {
    env: { DATA_DIR: dataDir, SMTP_URL: receiver.url, MAIL_FROM: 'a@example.com' },
  })
  const cookie = await setUp(server)

  const emails = Array.from({ length: people }, (_, n) => `person${n}@example.com`)
  assert.equal((await submit(server, '/start/invite', { emails: emails.join('\n') }, cookie)).status, 200)
  await until(() => receiver.mail.filter((mail) => mail.source.includes('/join/')).length === people)
  for (const [n, mail] of receiver.mail.entries()) {
    const joined = await submit(server, joinPath(mail), { full_name: `Person ${n}`, password })
    assert.equal(joined.status, 303)
    assert.ok(cookieOf(joined).includes('='))
  }

  const answer = await fetch(`${server.url}/api/v1/users`, { headers: { cookie } })
  const { members } = (await answer.json()) as { members: { delivery_email: string; is_bot: boolean }[] }
  const joined = members.filter(({ is_bot }) => !is_bot).map(({ delivery_email }) => delivery_email)
  assert.deepEqual(joined.sort(), ['olivia@example.com', ...emails].sort())
})
