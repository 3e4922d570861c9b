import { type RefObject, useLayoutEffect } from 'react'

const isNative = CSS.supports('field-sizing', 'content')

/** Where style sheets cannot do it, makes a text field as high as its text, including lines that wrap. */
export function useTextHeight(area: RefObject<HTMLTextAreaElement | null>, text: string | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each text.
  useLayoutEffect(() => {
    const field = area.current
    if (isNative || !field) return
    const fit = () => {
      field.style.blockSize = 'auto'
      field.style.blockSize = `${field.scrollHeight}px`
    }
    fit()
    window.addEventListener('resize', fit)
    return () => window.removeEventListener('resize', fit)
  }, [area, text])
}
