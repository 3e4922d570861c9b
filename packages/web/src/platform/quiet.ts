const calm = 1500
let lastInput = 0

for (const event of ['keydown', 'pointerdown', 'wheel', 'touchmove'])
  window.addEventListener(event, () => (lastInput = performance.now()), { passive: true, capture: true })

/** Runs work that may take a while once the user has not typed, clicked or scrolled for a moment. */
export function whenQuiet(work: () => void): void {
  const wait = lastInput === 0 ? 0 : lastInput + calm - performance.now()
  if (wait > 0 && !document.hidden) setTimeout(() => whenQuiet(work), wait)
  else if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2000 })
  else setTimeout(work, 50)
}
