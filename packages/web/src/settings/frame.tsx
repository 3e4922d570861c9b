import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useWindowTitle } from '../notify/window-title.ts'
import { t } from '../platform/i18n.ts'
import { useIsPhone } from '../platform/phone.ts'
import { goTo } from '../platform/routing.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, Skeleton } from '../ui/states.tsx'
import { visiblePages } from './model.ts'
import type { Page } from './pages.ts'
import './settings.css'

export interface Chapter {
  title: string
  pages: readonly Page[]
}

/** The page that a hash names, and what follows it. */
function openPage(pages: readonly Page[], hash: string): { page: Page | undefined; rest: string } {
  const page = pages.find((one) => hash === one.hash || hash.startsWith(`${one.hash}/`))
  return { page, rest: page ? hash.slice(page.hash.length + 1) : '' }
}

/** The settings: navigation with a search, and the open page. On phones one of them is shown. */
export function Frame({ chapters, hash, home }: { chapters: readonly Chapter[]; hash: string; home: string }) {
  const store = useSlices('users')
  const { viewerId } = useSession()
  const role = store.users.byId.get(viewerId)?.role ?? Infinity
  const all = chapters.flatMap(({ pages }) => visiblePages(pages, role, ''))
  const isHome = hash === '#settings' || hash === '#organization'
  const { page, rest } = openPage(all, isHome ? home : hash)
  const title = t(page?.title ?? 'nav.settings')
  useWindowTitle(title)
  const isPhone = useIsPhone()
  if (isHome && isPhone)
    return (
      <div className="settings at-home">
        <Navigation chapters={chapters} role={role} isWholeScreen />
      </div>
    )
  return (
    <div className="settings">
      <Navigation chapters={chapters} role={role} open={page} />
      <main className="page" key={page?.hash}>
        <div className="top">
          <IconButton
            label={t('settings.backToAll')}
            icon="chevron-left"
            look="back"
            onClick={() => goTo('#settings')}
          />
          <h1>{title}</h1>
        </div>
        <Suspense fallback={<Skeleton rows={5} />}>{page ? <page.Content rest={rest} /> : <NoPage />}</Suspense>
      </main>
    </div>
  )
}

function NoPage(): ReactNode {
  return (
    <Empty icon="search" title={t('settings.noPage')}>
      <a className="linkish" href="#settings/profile">
        {t('settings.goToProfile')}
      </a>
    </Empty>
  )
}

interface NavigationProps {
  chapters: readonly Chapter[]
  role: number
  open?: Page | undefined
  /** On phones there is no page beside it. */
  isWholeScreen?: boolean
}

function Navigation({ chapters, role, open, isWholeScreen = false }: NavigationProps) {
  const [query, setQuery] = useState('')
  const search = useRef<HTMLInputElement>(null)
  useSlashKey(search)
  const found = chapters.map(({ title, pages }) => ({ title, pages: visiblePages(pages, role, query) }))
  const first = found.flatMap(({ pages }) => pages)[0]
  const Landmark = isWholeScreen ? 'main' : 'aside'
  return (
    <Landmark className="side" aria-label={t('nav.settings')}>
      <div className="org">
        <IconButton label={t('settings.backToMessages')} icon="arrow-left" onClick={() => goTo('#inbox')} />
        {isWholeScreen ? <h1>{t('nav.settings')}</h1> : t('nav.settings')}
      </div>
      <label className="jump">
        <Icon name="search" size="s" />
        <input
          ref={search}
          type="search"
          aria-label={t('settings.find')}
          placeholder={t('settings.find')}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={({ key, nativeEvent }) => {
            if (nativeEvent.isComposing) return
            if (key === 'Enter' && first) goTo(first.hash)
            if (key === 'Escape') setQuery('')
          }}
        />
        <kbd>/</kbd>
      </label>
      <nav aria-label={t('nav.settings')}>
        {found.map(
          ({ title, pages }) =>
            pages.length > 0 && (
              <div key={title}>
                <h2>{title}</h2>
                {pages.map((page) => (
                  <a
                    key={page.hash}
                    className={`item ${page === open ? 'on' : ''}`}
                    href={page.hash}
                    aria-current={page === open ? 'page' : undefined}
                  >
                    <Icon name={page.icon} />
                    <span className="name">{t(page.title)}</span>
                  </a>
                ))}
              </div>
            ),
        )}
        {!first && <p className="nothing">{t('settings.noneNamed')}</p>}
      </nav>
      <p className="about">
        <a href="/app/licences.txt" target="_blank" rel="noreferrer">
          {t('settings.licences')}
        </a>
      </p>
    </Landmark>
  )
}

/** `/` searches the settings here, before the rest of the client sees the key. */
function useSlashKey(search: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as HTMLElement).closest('input, textarea, select, dialog')) return
      event.preventDefault()
      event.stopPropagation()
      search.current?.focus()
    }
    window.addEventListener('keydown', pressed, { capture: true })
    return () => window.removeEventListener('keydown', pressed, { capture: true })
  }, [search])
}
