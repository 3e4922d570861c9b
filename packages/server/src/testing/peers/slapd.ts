import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Attribute, Change, Client } from 'ldapts'
import { freePort } from '../crash/crashing-program.ts'
import { until } from '../until.ts'
import { newCertificate } from './certificate.ts'

const program = '/usr/sbin/slapd'
/** CI sets REQUIRE_SLAPD, so that the tests cannot be skipped there without notice. */
const isMissing = !process.env.REQUIRE_SLAPD && !hasSlapd()
if (isMissing) console.error('SKIPPED: the tests of LDAP need the package "slapd".')
export const needsSlapd = { skip: isMissing && 'slapd is not installed' }

function hasSlapd(): boolean {
  try {
    execFileSync(program, ['-VV'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export const base = 'dc=acme,dc=test'
export const people = `ou=people,${base}`
export const service = { bind_dn: `cn=parley,${base}`, bind_password: 'secret of the service' }
const admin = { dn: `cn=admin,${base}`, password: 'secret of the administrator' }

const content = `dn: ${base}
objectClass: dcObject
objectClass: organization
dc: acme
o: Acme

dn: ${people}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${base}
objectClass: organizationalUnit
ou: groups

dn: ${service.bind_dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: parley
userPassword: ${service.bind_password}
`

/** Only the service account may search, and nobody may read passwords. */
const configOf = (
  folder: string,
  { certificateFile, keyFile }: ReturnType<typeof newCertificate>,
) => `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/pid
TLSCACertificateFile ${certificateFile}
TLSCertificateFile ${certificateFile}
TLSCertificateKeyFile ${keyFile}
database mdb
suffix "${base}"
rootdn "${admin.dn}"
rootpw "${admin.password}"
directory ${folder}/data
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${service.bind_dn}" read by * none
`

export interface Slapd {
  url: string
  secureUrl: string
  certificate: string
  /** Adds a person, and returns their distinguished name. */
  add(uid: string, attributes: Record<string, string | string[]>): Promise<string>
  addGroup(name: string, members: string[]): Promise<void>
  addReferral(uid: string, to: string): Promise<void>
  change(dn: string, attribute: string, value: string | Buffer | undefined): Promise<void>
  remove(dn: string): Promise<void>
  stop(): Promise<void>
}

/** Debian's OpenLDAP, as a process of the test. */
export async function startSlapd(): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-slapd-'))
  mkdirSync(join(folder, 'data'))
  const certificate = newCertificate()
  writeFileSync(join(folder, 'slapd.conf'), configOf(folder, certificate))
  execFileSync('/usr/sbin/slapadd', ['-f', join(folder, 'slapd.conf')], { input: content, stdio: 'pipe' })
  const [port, securePort] = [await freePort(), await freePort()]
  const [url, secureUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://localhost:${securePort}`]
  const args = ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', `${url}/ ldaps://127.0.0.1:${securePort}/`]
  const server = spawn(program, args, { stdio: 'ignore' })
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  await until(() => isListening(port))
  return { url, secureUrl, certificate: certificate.certificateFile, stop, ...editor(url) }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

function editor(url: string) {
  const asAdmin = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ url })
    await client.bind(admin.dn, admin.password)
    return work(client).finally(() => client.unbind())
  }
  const put = (dn: string, attributes: Record<string, string | string[]>) =>
    asAdmin((client) => client.add(dn, attributes))
  return {
    add: async (uid: string, attributes: Record<string, string | string[]>) => {
      const dn = `uid=${uid},${people}`
      await put(dn, { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...attributes })
      return dn
    },
    addGroup: (name: string, member: string[]) =>
      put(`cn=${name},ou=groups,${base}`, { objectClass: 'groupOfNames', cn: name, member }),
    addReferral: (uid: string, ref: string) =>
      put(`uid=${uid},${people}`, { objectClass: ['referral', 'extensibleObject'], uid, ref }),
    change: (dn: string, type: string, value: string | Buffer | undefined) =>
      asAdmin((client) => {
        const values = value === undefined ? [] : [value as string] // text or bytes, but not some of each
        return client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) }))
      }),
    remove: (dn: string) => asAdmin((client) => client.del(dn)),
  }
}
