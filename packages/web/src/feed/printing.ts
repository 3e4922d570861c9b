import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** While the page is printed. Browsers take what stands on the page when `beforeprint` has ended. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const unmounted = new AbortController()
    const { signal } = unmounted
    window.addEventListener('beforeprint', () => flushSync(() => setPrinting(true)), { signal })
    window.addEventListener('afterprint', () => setPrinting(false), { signal })
    return () => unmounted.abort()
  }, [])
  return isPrinting
}
