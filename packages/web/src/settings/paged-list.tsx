import { type ReactNode, useState } from 'react'
import { t } from '../platform/i18n.ts'
import { act } from '../session/act.ts'
import { Loaded, type Loading } from '../session/loading.tsx'
import { Button } from '../ui/button.tsx'

interface PagedListProps<Page, Row> {
  first: Loading<Page>
  /** The page before the row with this id. */
  load: (before: number) => Promise<Page>
  rowsOf: (page: Page) => readonly Row[]
  idOf: (row: Row) => number
  emptyText: string
  children: (row: Row) => ReactNode
}

/** Rows that are loaded in pages, the newest first. With another `key`, it begins again. */
export function PagedList<Page extends { found_oldest: boolean }, Row>(props: PagedListProps<Page, Row>) {
  const { first, load, rowsOf, idOf, emptyText, children } = props
  const [older, setOlder] = useState<readonly Row[]>([])
  const [isComplete, setComplete] = useState(false)
  const loadMore = async (before: number) => {
    const next = await load(before)
    setOlder([...older, ...rowsOf(next)])
    setComplete(next.found_oldest)
  }
  return (
    <Loaded of={first}>
      {(page) => {
        const all = [...rowsOf(page), ...older]
        if (all.length === 0) return <p className="none-yet">{emptyText}</p>
        return (
          <>
            {all.map(children)}
            {!page.found_oldest && !isComplete && (
              <div className="audit-more">
                <Button look="outline" onClick={() => void act(loadMore(idOf(all.at(-1)!)))}>
                  {t('audit.more')}
                </Button>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
