import { createElement } from 'react'
import { type IconName, shapes } from './icons.generated.ts'

export type { IconName }

/** These point along the line, so they are mirrored in languages that are written from right to left. */
const directed = new Set<IconName>([
  'arrow-left',
  'chevron-left',
  'chevron-right',
  'list',
  'list-checks',
  'log-out',
  'panel-right',
  'send-horizontal',
])

/** An icon beside a text or inside a labelled button; screen readers skip it. */
export function Icon({ name, size = 'm' }: { name: IconName; size?: 's' | 'm' | 'l' }) {
  const className = ['icon', size !== 'm' && size, directed.has(name) && 'flip'].filter(Boolean).join(' ')
  return (
    <svg className={className} viewBox="0 0 24 24" aria-hidden="true">
      {shapes[name].map((shape, key) => {
        const [tag, attributes] = typeof shape === 'string' ? ['path', { d: shape }] : shape
        return createElement(tag, { ...attributes, key })
      })}
    </svg>
  )
}
