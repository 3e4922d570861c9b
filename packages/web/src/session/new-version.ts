import type { Session } from '@parley/client/session/session'
import { useEffect, useState } from 'react'

/** While the server builds the client, its page names none. */
const pause = 30_000
const own = new URL(import.meta.url).pathname

/** Whether the server has another version of the client. It is asked whenever it can be reached again. */
export function useNewVersion({ changes }: Session, isOnline: boolean): boolean {
  const [isNew, setNew] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new connection has other `changes`.
  useEffect(() => {
    if (!isOnline) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async () => {
      const names = await namesOnPage()
      if (names.length === 0) timer = setTimeout(() => void ask(), pause)
      else setNew(!names.includes(own))
    }
    void ask()
    return () => clearTimeout(timer)
  }, [changes, isOnline])
  return isNew
}

async function namesOnPage(): Promise<string[]> {
  const page = await fetch('/', { cache: 'no-cache' }).catch(() => undefined)
  if (!page?.ok || page.redirected) return [own] // signed out, or not reached
  return (await page.text()).match(/\/app\/assets\/[\w-]+\.js/g) ?? []
}
