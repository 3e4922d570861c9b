import { sql } from 'kysely'
import type { Db } from '../platform/db/pool.ts'

const opening = '\ue000'
const closing = '\ue001'
const sentinels = new RegExp(`[${opening}${closing}]`, 'g')
const tag = /(<(?:[^>"']|"[^"]*"|'[^']*')*>)/

/** The HTML texts with what was searched for in `<span class="highlight">`, never inside a tag. */
export async function markFound(db: Db, anyWord: string | null, texts: string[]): Promise<string[]> {
  if (anyWord === null) return texts
  const pieces = texts.map((html) => html.split(tag))
  const plain = new Set(pieces.flat().filter((piece) => piece !== '' && !piece.startsWith('<')))
  const marked = await markPieces(db, anyWord, [...plain])
  return pieces.map((parts) => parts.map((piece) => marked.get(piece) ?? piece).join(''))
}

/** PostgreSQL knows which forms of a word it took for the same; its marks become spans here. */
async function markPieces(db: Db, anyWord: string, pieces: string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ piece: string; marked: string }>`
    select p.piece, ts_headline('english', p.piece, ${anyWord}::tsquery,
             ${`StartSel=${opening}, StopSel=${closing}, HighlightAll=true`}) as marked
      from unnest(${pieces}::text[]) p(piece)
     where to_tsvector('english', p.piece) @@ ${anyWord}::tsquery`.execute(db)
  const intact = rows.filter(({ piece, marked }) => marked.replace(sentinels, '') === piece)
  return new Map(intact.map(({ piece, marked }) => [piece, withSpans(marked)]))
}

function withSpans(marked: string): string {
  return marked.replaceAll(opening, '<span class="highlight">').replaceAll(closing, '</span>')
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => escapes[char]!)
}
