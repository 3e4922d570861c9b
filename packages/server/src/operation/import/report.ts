import { pinsPerChannel } from '@parley/api/limits'
import type { Realm } from '../../callers/realm-state.ts'
import { commandName } from '../../platform/installation.ts'
import type { Problems } from './found-problems.ts'
import type { Importable } from './importable.ts'
import type { Counts, Problem } from './source.ts'

/** What a file has, in the words that scripts read. */
export const scanned = ['people', 'bots', 'channels', 'conversations', 'messages', 'files'] as const

export interface Report {
  organization: string
  host: string | null
  counts: Counts
  /** What the format, or this program, cannot take over, in sentences. */
  notes: string[]
  problems: Problem[]
}

export function scanCounts({ counts }: Problems): Counts {
  return Object.fromEntries(scanned.map((name) => [name, counts[name] ?? 0]))
}

export function reportOf(realm: Realm, { plan, lost }: Importable): Report {
  const { counts, problems } = plan
  return {
    organization: realm.string_id,
    host: realm.host,
    counts: { ...scanCounts(plan), ...counts },
    notes: [...notesOf(counts), ...lost(counts)],
    problems,
  }
}

function notesOf(counts: Counts): string[] {
  const lost = (counts['pinned messages'] ?? 0) - (counts.pins ?? 0)
  return [
    ...(lost > 0
      ? [
          `Pinned messages that are not pinned here: ${lost}, of direct messages or over ${pinsPerChannel} in a channel.`,
        ]
      : []),
    `Nobody has a password yet: people set one with "Forgot password", or sign in with single sign-on; "${commandName} user reset-link" prints a link.`,
  ]
}

export function reportLines({ organization, host, counts, notes, problems }: Report): string[] {
  return [
    `Imported into ${organization}, which answers on ${host ?? 'every host'}.`,
    ...Object.entries(counts).map(([name, count]) => `${name}: ${count}`),
    ...notes,
    ...problems.map(({ kind, place, error }) => `${kind}: ${place}: ${error}`),
  ]
}
