import type { ReactNode } from 'react'

/** A screen with a heading, and at its end what can be done. */
export function Screen({ title, end, children }: { title: string; end?: ReactNode; children: ReactNode }) {
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>{title}</h1>
        </div>
        {end && <div className="end">{end}</div>}
      </header>
      {children}
    </main>
  )
}
