import { createElement } from 'react'
import { type IconName, shapes } from './icon-shapes.ts'

export type { IconName }

/** An icon beside a text or inside a labelled button; screen readers skip it. */
export function Icon({ name, size = 'm', flip = false }: { name: IconName; size?: 's' | 'm' | 'l'; flip?: boolean }) {
  const className = ['icon', size !== 'm' && size, flip && 'flip'].filter(Boolean).join(' ')
  return (
    <svg className={className} viewBox="0 0 24 24" aria-hidden="true">
      {shapes[name].map(([tag, attributes], index) => createElement(tag, { ...attributes, key: index }))}
    </svg>
  )
}
