import type { KeptIds } from '../../../identity/accounts/kept-ids.ts'
import { type SystemBot, systemBotWith } from '../../../people/users/system-bots.ts'
import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import { Problems } from '../found-problems.ts'
import type { Importable, Program } from '../importable.ts'
import { storeProblems } from '../store-problems.ts'
import { Ids } from './ids.ts'
import { restoreAll } from './restore-all.ts'
import { isSystemGroup } from './restore-groups.ts'
import type { OpenRows, RowSource } from './row-source.ts'
import { clean, integerIn } from './row-values.ts'

/** A program whose exports are rows of a whole organization. */
export function rowProgram(source: RowSource): Program {
  return { main: source.main, scan: (archive) => scanRows(source, archive) }
}

async function scanRows(source: RowSource, archive: Archive): Promise<Importable> {
  await archive.verify()
  const [plan, ids] = [new Problems(), new Ids()]
  const open = await source.open(archive, {
    problem: (problem) => plan.problem(problem),
    count: (what, by) => plan.count(what, by),
    organization: (name) => plan.organization(name),
    message: (id) => void (integerIn(id, 1, largestId) !== undefined && ids.messages.add(id)),
  })
  const doubled = ids.messages.close()
  if (doubled > 0) plan.problem({ kind: 'dropped', place: 'messages', error: `${doubled} have the id of another one` })
  return {
    plan,
    count: ids.messages.count,
    kept: open.mayKeepIds ? await keptIds(open) : undefined,
    lost: source.lost,
    close: async () => {},
    write: async ({ progress, ...begun }) => {
      const { keepsIds, isNew } = begun.options
      const run = { ...begun, archive, open, plan, ids, keepsIds, isNew, renamed: new Map() }
      const written = await restoreAll(run, { progress })
      await storeProblems(run)
      return written
    },
  }
}

const largestId = 1e12

async function keptIds(open: OpenRows): Promise<KeptIds> {
  const [groups, bots] = [new Map<unknown, number>(), new Map<SystemBot, number>()]
  for await (const row of open.rows('groups')) {
    const id = isSystemGroup(row) ? integerIn(row.id, 1, largestId) : undefined
    if (id !== undefined) groups.set(row.name, id)
  }
  for await (const { id, email, is_system_bot } of open.rows('users')) {
    const bot = is_system_bot === true ? systemBotWith(clean(email)) : undefined
    const kept = integerIn(id, 1, largestId)
    if (bot !== undefined && kept !== undefined) bots.set(bot, kept)
  }
  return { realm: open.realmId, groups: Object.fromEntries(groups), bots: Object.fromEntries(bots) }
}
