import type { Slices } from '@parley/client/store/store'
import { useEffect, useState } from 'react'
import { loadEmojiNames } from '../messages/emoji-list.ts'
import { trusted } from '../platform/trusted-types.ts'
import { useSession } from '../session/context.tsx'
import { escapeHtml } from './editing.ts'
import { renderContext } from './render-context.ts'
import workerUrl from './render-worker.ts?worker&url'

let worker: Worker | undefined
let hasNames = false
let count = 0

/** One whose script cannot be loaded is replaced at the next use. */
function startWorker(): Worker {
  const started = new Worker(trusted.createScriptURL(workerUrl), { type: 'module' })
  started.addEventListener('error', () => {
    started.terminate()
    worker = undefined
  })
  hasNames = false
  return started
}

/** Without the names, emoji stay as they were typed. The next use tries again. */
async function giveNames(to: Worker, emojiUrl: string): Promise<void> {
  if (hasNames) return
  const emojiNames = await loadEmojiNames(emojiUrl).catch(() => undefined)
  if (emojiNames) to.postMessage({ emojiNames })
  hasNames = emojiNames !== undefined && to === worker
}

/** Renders text as the server would, apart from linkifiers, formulas and colours of code. */
async function renderLocally(
  store: Slices<'channels' | 'emoji' | 'groups' | 'preferences' | 'users'>,
  content: string,
  signal: AbortSignal,
): Promise<string> {
  worker ??= startWorker()
  const started = worker
  await giveNames(started, String(store.settings.server_emoji_data_url))
  const id = ++count
  return new Promise((resolve) => {
    const answered = ({ data }: MessageEvent<{ id: number; html: string }>) => data.id === id && resolve(data.html)
    started.addEventListener('message', answered, { signal })
    if (!signal.aborted) started.postMessage({ id, content, context: renderContext(store, content) })
  })
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
    const stop = new AbortController()
    void renderLocally(store!, source, stop.signal).then((html) => setRendering({ source, html }))
    return () => stop.abort()
  }, [store, source])
  return rendering
}

/** The rendering, or the plain text if it is not ready yet. */
export function echoOf(rendering: LocalRendering | undefined, source: string): string {
  if (rendering?.source === source) return rendering.html
  return `<p>${escapeHtml(source).replaceAll('\n', '<br>')}</p>`
}
