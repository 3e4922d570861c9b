import type { Session } from '@parley/client/session/session'
import { useState } from 'react'
import type { ChannelSection } from './model.ts'

/** Where a dragged channel would stand: before a channel of a section, or at its end. */
export interface DropPlace {
  section: string
  before: number | undefined
}

/** Dragging a channel to another place in the sidebar. Browsers drag links by themselves. */
export function useChannelDrag(session: Session, sections: readonly ChannelSection[]) {
  const [dragged, setDragged] = useState<{ id: number; allowed: readonly string[] }>()
  const [place, setPlace] = useState<DropPlace>()
  const end = () => {
    setDragged(undefined)
    setPlace(undefined)
  }
  const props = {
    onDragStart: ({ target }: React.DragEvent) => {
      const id = Number((target as Element).closest<HTMLElement>('[data-channel]')?.dataset.channel)
      if (!id) return
      setDragged({ id, allowed: [] })
      void loadArrange().then(({ sectionsFor }) =>
        setDragged({ id, allowed: sectionsFor(session, id).map(({ key }) => key) }),
      )
    },
    onDragOver: (event: React.DragEvent) => {
      const found = dragged && placeUnder(event, sections)
      if (!found || !dragged.allowed.includes(found.section)) return setPlace(undefined)
      event.preventDefault()
      if (found.section !== place?.section || found.before !== place.before) setPlace(found)
    },
    onDrop: (event: React.DragEvent) => {
      const section = sections.find(({ key }) => key === place?.section)
      if (!dragged || !place || !section) return
      event.preventDefault()
      if (place.before !== dragged.id)
        void loadArrange().then(({ placeBefore }) => placeBefore(session, dragged.id, section, place.before))
      end()
    },
    onDragEnd: end,
  }
  return { props, place }
}

const loadArrange = () => import('../channels/arrange.ts')

function placeUnder({ target, clientY }: React.DragEvent, sections: readonly ChannelSection[]): DropPlace | undefined {
  const section = (target as Element).closest<HTMLElement>('[data-section]')?.dataset.section
  const channels = sections.find(({ key }) => key === section)?.channels
  if (section === undefined || !channels) return undefined
  const row = (target as Element).closest<HTMLElement>('[data-channel]')
  if (!row) return { section, before: channels[0]?.id }
  const { top, height } = row.getBoundingClientRect()
  const index = channels.findIndex(({ id }) => id === Number(row.dataset.channel))
  return { section, before: channels[clientY < top + height / 2 ? index : index + 1]?.id }
}
