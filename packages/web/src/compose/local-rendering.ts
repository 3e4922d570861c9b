import type { Store } from '@parley/client/store'
import { useEffect, useState } from 'react'
import { trusted } from '../platform/trusted-types.ts'
import { useSession } from '../session/context.tsx'
import { escapeHtml } from './editing.ts'
import { renderContext } from './render-context.ts'
import workerUrl from './render-worker.ts?worker&url'

let worker: Worker | undefined
let count = 0

function startWorker(): Worker {
  worker ??= new Worker(trusted.createScriptURL(workerUrl), { type: 'module' })
  return worker
}

/** Renders text as the server would, apart from linkifiers, formulas and colours of code. */
function renderLocally(store: Store, content: string): { html: Promise<string>; cancel: () => void } {
  const id = ++count
  const stop = new AbortController()
  const started = startWorker()
  const html = new Promise<string>((resolve) => {
    const answered = ({ data }: MessageEvent<{ id: number; html: string }>) => {
      if (data.id !== id) return
      stop.abort()
      resolve(data.html)
    }
    started.addEventListener('message', answered, { signal: stop.signal })
  })
  started.postMessage({ id, content, context: renderContext(store, content) })
  return { html, cancel: () => stop.abort() }
}

export interface LocalRendering {
  source: string
  html: string
}

/** The latest rendering of the text, made while it is typed, so that it is ready when the message is sent. */
export function useLocalRendering(text: string): LocalRendering | undefined {
  const { store } = useSession()
  const [rendering, setRendering] = useState<LocalRendering>()
  const source = text.trim()
  useEffect(() => {
    if (source === '') return
    const { html, cancel } = renderLocally(store!, source)
    void html.then((found) => setRendering({ source, html: found }))
    return cancel
  }, [store, source])
  return rendering
}

/** The rendering, or the plain text if it is not ready yet. */
export function echoOf(rendering: LocalRendering | undefined, source: string): string {
  if (rendering?.source === source) return rendering.html
  return `<p>${escapeHtml(source).replaceAll('\n', '<br>')}</p>`
}
