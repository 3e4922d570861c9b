import type { Destination } from '@parley/client/session/outbox'
import type { Session } from '@parley/client/session/session'
import { type RefObject, useSyncExternalStore } from 'react'
import { useSession, useSlices } from '../session/context.tsx'
import { draftsOf } from './drafts/drafts.ts'
import { insertText } from './editing.ts'
import { UploadBox } from './uploads.ts'

const uploadBoxes = new WeakMap<Session, UploadBox>()

function uploadsOf(session: Session): UploadBox {
  const box = uploadBoxes.get(session) ?? new UploadBox()
  uploadBoxes.set(session, box)
  return box
}

/** The files of a composer. A link goes into its field, or into its draft if the field is not shown or another is used. */
export function useUploads(slot: string, target: Destination, area: RefObject<HTMLTextAreaElement | null>) {
  const session = useSession()
  const { settings } = useSlices()
  const box = uploadsOf(session)
  const uploads = useSyncExternalStore(box.subscribe, () => box.list(slot))
  const insert = (link: string) => {
    if (area.current && !isTypingElsewhere(area.current)) return insertText(area.current, ownLine(area.current, link))
    const drafts = draftsOf(session)
    const typed = drafts.read(slot)
    const text = typed?.text ?? ''
    drafts.write(slot, typed?.to ?? target, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${link}\n`, true)
  }
  const maxMegabytes = Number(settings.max_file_upload_size_mib)
  const addFiles = (files: Iterable<File>) => {
    for (const file of files) box.add(slot, file, { insert, maxMegabytes })
  }
  return { uploads, addFiles, clearFiles: () => box.clear(slot), maxMegabytes }
}

/** A link stands in a line of its own. */
function ownLine({ value, selectionStart }: HTMLTextAreaElement, link: string): string {
  return `${/[^\n]$/.test(value.slice(0, selectionStart)) ? '\n' : ''}${link}\n`
}

function isTypingElsewhere(area: HTMLElement): boolean {
  const used = document.activeElement
  return used !== area && used?.matches('textarea, input:not([type=file])') === true
}
