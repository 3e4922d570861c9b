import type { Archive } from '../../../platform/archives/foreign-archive.ts'
import type { Written } from '../find-differences.ts'
import type { Begun, Importable, Program } from '../importable.ts'
import type { Run } from '../run.ts'
import type { Source } from '../source.ts'
import { storeProblems } from '../store-problems.ts'
import { importPlaces } from './import-channels.ts'
import { importPeople } from './import-people.ts'
import { Loading } from './load.ts'
import { importAvatars, importEmoji } from './pictures.ts'
import { scan } from './scan.ts'

/** A program whose exports become neutral records. */
export function recordProgram(source: Source): Program {
  return { main: source.main, scan: (archive, folder) => scanRecords(source, archive, folder) }
}

async function scanRecords(source: Source, archive: Archive, folder: string): Promise<Importable> {
  const plan = await scan(source, archive, folder)
  const noted = { people: new Map(), channels: new Map(), emoji: new Map(), members: new Set<string>() }
  return {
    plan,
    count: plan.messages.count,
    lost: source.lost,
    close: () => plan.messages.close(),
    write: ({ progress, ...begun }: Begun) => write({ ...begun, ...noted, source, archive, plan }, progress),
  }
}

async function write(run: Run, progress: (count: number) => void): Promise<Written> {
  const created = await importPeople(run)
  await importEmoji(run)
  await importAvatars(run, created)
  await importPlaces(run)
  const loading = new Loading(run, progress)
  await loading.run()
  await storeProblems(run)
  return loading.written
}
