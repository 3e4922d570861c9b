import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DataDir } from './data-dir.ts'
import { StartupError } from './startup-error.ts'

/** The OS user that PostgreSQL runs as; it refuses to run as root. */
export interface Account {
  name: string
  uid: number
  gid: number
  /** Whether we are root and must drop privileges to this user. */
  stepDown: boolean
}

/** Accounts to use, in this order, when everything belongs to root. */
const unprivileged = ['parley', 'nobody', 'daemon']

export async function chooseAccount(dir: DataDir): Promise<Account> {
  const passwd = await readAccounts()
  const uid = process.geteuid?.() ?? -1
  if (uid !== 0) return ourselves(dir, passwd, uid)

  const borrowed = unprivileged.flatMap((name) => passwd.filter((account) => account.name === name))
  const existing = await ownerOf(dir.cluster)
  const owner = passwd.find((account) => account.uid === dir.owner.uid && account.uid !== 0)
  // An owner without an account (a folder from another machine) cannot run initdb, so another account is used.
  if (existing) return { ...checkOwner(dir, existing, owner ? [owner] : borrowed), stepDown: true }
  const account = owner ?? borrowed.find((candidate) => candidate.uid !== 0)
  if (!account) throw new StartupError(noAccount)
  return { ...account, stepDown: true }
}

const noAccount =
  'PostgreSQL refuses to run as root and this machine has no account "nobody" to run it as: start Parley as an ordinary user or set DATABASE_URL.'

/**
 * The owner of an existing database keeps running it. In another user's DATA_DIR the database must belong to that user
 * or to an account that we chose: a symbolic link placed there must not make root open a third user's database.
 */
function checkOwner(dir: DataDir, existing: PasswdEntry, candidates: PasswdEntry[]): PasswdEntry {
  const expected = [dir.owner, ...candidates].some((account) => account.uid === existing.uid)
  if (existing.uid !== 0 && (expected || dir.owner.uid === 0)) return existing
  throw new StartupError(
    `The database in ${dir.cluster} belongs to ${existing.name}, and PostgreSQL must not run as that user here: change the owner of that folder to the owner of DATA_DIR, or to the user nobody if that is root.`,
  )
}

async function ourselves(dir: DataDir, passwd: PasswdEntry[], uid: number): Promise<Account> {
  const existing = await ownerOf(dir.cluster)
  const nameOf = (id: number) => passwd.find((account) => account.uid === id)?.name ?? `user ${id}`
  if (existing && existing.uid !== uid) {
    throw new StartupError(
      `The database in ${dir.cluster} belongs to ${nameOf(existing.uid)}: start Parley as that user or as root, or set DATA_DIR to another folder.`,
    )
  }
  return { name: nameOf(uid), uid, gid: process.getegid?.() ?? -1, stepDown: false }
}

async function ownerOf(path: string): Promise<PasswdEntry | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && { name: `user ${found.uid}`, uid: found.uid, gid: found.gid }
}

interface PasswdEntry {
  name: string
  uid: number
  gid: number
}

async function readAccounts(): Promise<PasswdEntry[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** Whether the account may enter the folder. Dropping privileges drops all other groups, so the mode bits decide. */
export async function mayEnter(account: Account, folder: string): Promise<boolean> {
  if (!account.stepDown) return true
  const { uid, gid, mode } = await stat(folder)
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  if ((mode & bit) === 0) return false
  return folder === '/' || mayEnter(account, dirname(folder))
}
