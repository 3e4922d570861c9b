import { useEffect, useState } from 'react'

/** A promise says whether the change was accepted. */
export type OnChange<T> = ((value: T) => void) | ((value: T) => Promise<boolean>)

/** A choice answers at once: it is shown until the accepted value changes, or the choice is refused. */
export function useChosen<T>(accepted: T, onChange: OnChange<T>): [shown: T, choose: (value: T) => Promise<void>] {
  const [chosen, setChosen] = useState<{ value: T }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the accepted value changes.
  useEffect(() => setChosen(undefined), [accepted])
  const choose = async (value: T) => {
    const answer = onChange(value)
    if (!(answer instanceof Promise)) return
    setChosen({ value })
    if (!(await answer)) setChosen(undefined)
  }
  return [chosen ? chosen.value : accepted, choose]
}
