export type Lead = (work: (lost: AbortSignal) => Promise<void>, takes: boolean) => Promise<void>

/** Tabs of this browser that share a name: one of them leads, and all hear each other. */
export interface TabGroup<Message> {
  readonly id: string
  post(message: Message): void
  listen(listener: (message: Message) => void): void
  lead: Lead
  whenGone(tab: string): Promise<void>
  onWake(listener: () => void): void
}

/** Undefined where browsers do not offer it: locks exist only on HTTPS and on localhost. */
export function joinTabs<Message>(name: string): TabGroup<Message> | undefined {
  if (!navigator.locks || typeof BroadcastChannel === 'undefined') return undefined
  const channel = new BroadcastChannel(name)
  const id = crypto.randomUUID()
  const presence = (tab: string) => `tab ${tab}`
  // Held until the tab is closed.
  void navigator.locks.request(presence(id), () => new Promise(() => {}))
  return {
    id,
    post: (message) => channel.postMessage(message),
    listen: (listener) => channel.addEventListener('message', ({ data }: MessageEvent<Message>) => listener(data)),
    lead: leadOf(name),
    whenGone: async (tab) => void (await navigator.locks.request(presence(tab), () => {})),
    onWake: (listener) =>
      document.addEventListener('visibilitychange', () => {
        if (!document.hidden) listener()
      }),
  }
}

function leadOf(name: string): Lead {
  return async (work, takes) => {
    const lost = new AbortController()
    try {
      await navigator.locks.request(name, { steal: takes }, () => work(lost.signal))
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
      lost.abort()
    }
  }
}
