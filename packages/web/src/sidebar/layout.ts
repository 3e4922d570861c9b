import type { Slices } from '@parley/client/store/store'

/** How the viewer arranges channels: own sections, and the order of channels that were moved by hand. */
export interface Layout {
  sections: { name: string; channels: number[] }[]
  order: number[]
}

/** Another client, or a later version, may have stored anything. */
export function layoutOf({ preferences }: Slices<'preferences'>): Layout {
  try {
    const { sections, order } = JSON.parse(preferences.get('web_sidebar') ?? '')
    return {
      sections: sections.map(({ name, channels }: Layout['sections'][number]) => ({
        name: String(name),
        channels: channels.map(Number),
      })),
      order: order.map(Number),
    }
  } catch {
    return { sections: [], order: [] }
  }
}

/** Where a channel is moved: into an own section, or back to where it is without one. */
export interface Target {
  own: string | undefined
  /** All channels of that section in their new order. */
  channels: readonly number[]
}

/** The layout with a channel in another place. A section that does not exist yet is the last one. */
export function withMoved({ sections, order }: Layout, id: number, { own, channels }: Target): Layout {
  const moved = new Set([...channels, id])
  const others = sections.map((one) => ({ ...one, channels: one.channels.filter((other) => other !== id) }))
  if (own !== undefined && !others.some(({ name }) => name === own)) others.push({ name: own, channels: [] })
  for (const one of others) if (one.name === own) one.channels.push(id)
  return { sections: others, order: [...order.filter((other) => !moved.has(other)), ...channels] }
}

/** The list with one element a place further up (-1) or down (1). */
export function shifted<One>(list: readonly One[], one: One, by: -1 | 1): One[] {
  const rest = list.filter((other) => other !== one)
  return rest.toSpliced(Math.max(0, list.indexOf(one) + by), 0, one)
}

export function withRenamed(layout: Layout, from: string, to: string): Layout {
  return { ...layout, sections: layout.sections.map((one) => (one.name === from ? { ...one, name: to } : one)) }
}

/** Its channels return to where they were. */
export function withoutSection(layout: Layout, name: string): Layout {
  return { ...layout, sections: layout.sections.filter((one) => one.name !== name) }
}

export function withShiftedSection(layout: Layout, name: string, by: -1 | 1): Layout {
  const found = layout.sections.find((one) => one.name === name)
  return found ? { ...layout, sections: shifted(layout.sections, found, by) } : layout
}
