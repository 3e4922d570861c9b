import { alertableText } from '@parley/markdown/references/alertable-text'
import { LRUCache } from 'lru-cache'
import type { RealmState } from '../../../callers/realm-state.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { many } from '../../../platform/db/query.ts'
import { foldCase } from '../../../platform/text.ts'

interface Entry {
  /** Case-folded. */
  text: string
  /** Index of the first word in the text; only punctuation precedes it. */
  offset: number
  userIds: number[]
}

const word = /[\p{L}\p{N}_]+/gu

/** The alert words of a realm, indexed by their first word: scanning a message costs one map lookup per word. */
export class AlertWords {
  readonly #byFirstWord = new Map<string, Entry[]>()
  /** Alert words made only of punctuation or emoji. */
  readonly #wordless: Entry[] = []

  constructor(words: { text: string; userIds: number[] }[]) {
    for (const { text, userIds } of words) this.#add(text, userIds)
  }

  #add(text: string, userIds: number[]): void {
    const first = text.match(word)?.[0]
    if (first === undefined) {
      this.#wordless.push({ text, offset: 0, userIds })
      return
    }
    const entry = { text, offset: text.indexOf(first), userIds }
    const entries = this.#byFirstWord.get(first)
    if (entries) entries.push(entry)
    else this.#byFirstWord.set(first, [entry])
  }

  get isEmpty(): boolean {
    return this.#byFirstWord.size === 0 && this.#wordless.length === 0
  }

  /**
   * The users with an alert word that occurs in the message as a whole word, where words count. Most messages contain
   * none, so what does not count is left out only if there is one.
   */
  alertedBy(content: string, defaultCodeLanguage?: string): number[] {
    if (this.isEmpty || this.#usersAlertedBy(foldCase(content)).size === 0) return []
    return [...this.#usersAlertedBy(foldCase(alertableText(content, defaultCodeLanguage)))]
  }

  #usersAlertedBy(text: string): Set<number> {
    const found = new Set<number>()
    for (const match of text.matchAll(word)) {
      for (const entry of this.#byFirstWord.get(match[0]) ?? [])
        if (isWholeWordAt(text, entry, match.index - entry.offset)) for (const id of entry.userIds) found.add(id)
    }
    for (const entry of this.#wordless) if (text.includes(entry.text)) for (const id of entry.userIds) found.add(id)
    return found
  }
}

const endsInWord = /[\p{L}\p{N}_]$/u
const beginsWithWord = /^[\p{L}\p{N}_]/u
/** Also after a hyphen: `tea` is no word of its own in `tea-time`. */
const continuesWord = /^[-\u2010\u2011]?[\p{L}\p{N}_]/u
const hyphenAfterWord = /[\p{L}\p{N}_][-\u2010\u2011]$/u

function isWholeWordAt(text: string, entry: Entry, start: number): boolean {
  if (!text.startsWith(entry.text, start) || start < 0) return false
  const end = start + entry.text.length
  const isContinued = endsInWord.test(entry.text) && continuesWord.test(text.slice(end, end + 3))
  const isContinuation =
    beginsWithWord.test(entry.text) && hyphenAfterWord.test(text.slice(Math.max(start - 3, 0), start))
  return !isContinued && !isContinuation
}

/** Keyed by `alert_words_version`, so that other changes in the realm do not invalidate it. */
const byVersion = new LRUCache<string, AlertWords>({ max: 500 })

const byState = new WeakMap<RealmState, AlertWords>()

export function readAlertWords(db: Db, state: RealmState): AlertWords | Promise<AlertWords> {
  return byState.get(state) ?? loadCurrent(db, state)
}

async function loadCurrent(db: Db, state: RealmState): Promise<AlertWords> {
  const realm = db.selectFrom('realms').where('id', '=', state.realm.id)
  const { version } = await realm.select('alert_words_version as version').executeTakeFirstOrThrow()
  const key = `${state.realm.id} ${version}`
  const words = byVersion.get(key) ?? (await loadAlertWords(db, state.realm.id))
  byVersion.set(key, words)
  byState.set(state, words)
  return words
}

async function loadAlertWords(db: Db, realmId: number): Promise<AlertWords> {
  const rows = await many<{ text: string; userIds: number[] }>(db)`
    select word_key as text, array_agg(user_id) as "userIds" from alert_words
     where realm_id = ${realmId} group by word_key`
  return new AlertWords(rows)
}
