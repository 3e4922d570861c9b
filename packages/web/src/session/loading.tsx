import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { Failure, Skeleton } from '../ui/states.tsx'
import { useRetryOnline } from './context.tsx'

export interface Loading<T> {
  value: T | undefined
  error: Error | undefined
  reload: () => void
}

/** Loads what the store does not contain. While it loads again, the old value stays. */
export function useLoaded<T>(load: () => Promise<T>, ...keys: unknown[]): Loading<T> {
  const [state, setState] = useState<{ value?: T; error?: Error }>({})
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names in `keys` what `load` depends on.
  useEffect(() => {
    let isStale = false
    load().then(
      (value) => isStale || setState({ value }),
      (error: Error) => isStale || setState({ error }),
    )
    return () => {
      isStale = true
    }
  }, [round, ...keys])
  const reload = useCallback(() => setRound((now) => now + 1), [])
  useRetryOnline(state.error !== undefined, reload)
  return { value: state.value, error: state.error, reload }
}

/** The content, or that it is on its way, or why it is missing. */
export function Loaded<T>({ of, children }: { of: Loading<T>; children: (value: T) => ReactNode }) {
  if (of.error) return <Failure error={of.error} onRetry={of.reload} />
  return of.value === undefined ? <Skeleton rows={4} /> : children(of.value)
}
