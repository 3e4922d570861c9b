import type { QueueEvent } from '@parley/api/events'
import type { ChannelFolder } from '@parley/api/organization/folders'
import type { FolderState, Slice, State } from './state.ts'

/** The channel folders by id, including archived ones. */
export class Folders implements Slice {
  readonly events = ['channel_folder'] as const
  readonly fields = ['channel_folders'] as const
  readonly byId: Map<number, ChannelFolder>

  constructor({ channel_folders = [] }: State) {
    this.byId = new Map(channel_folders.map((folder) => [folder.id, folder]))
  }

  apply(event: QueueEvent): void {
    if (event.type !== 'channel_folder') return
    if (event.op === 'add') this.byId.set(event.channel_folder.id, event.channel_folder)
    if (event.op === 'update') this.#change(event.channel_folder_id, event.data)
    if (event.op === 'reorder') for (const [order, id] of event.order.entries()) this.#change(id, { order })
  }

  #change(id: number, change: Partial<ChannelFolder>): void {
    const folder = this.byId.get(id)
    if (folder) this.byId.set(id, { ...folder, ...change })
  }

  snapshot(): FolderState {
    return { channel_folders: [...this.byId.values()].sort((a, b) => a.order - b.order || a.id - b.id) }
  }
}
