import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { hasFiles, isFileField } from '../platform/file-drops.ts'
import { t } from '../platform/i18n.ts'
import { fileSize } from './uploads.ts'

interface DropZoneProps {
  place: string
  maxMegabytes: number
  onFiles: (files: Iterable<File>) => void
}

/** Browsers repeat `dragover` more often than this, and say nothing reliable when it ends. */
const silence = 400

/** The whole page takes files for the open conversation, which says so while they are dragged. */
export function DropZone({ place, maxMegabytes, onFiles }: DropZoneProps) {
  const isDragged = useDroppedFiles(onFiles)
  const main = document.querySelector('.main')
  if (!isDragged || !main) return null
  return createPortal(
    <div className="drop" role="status">
      {t('compose.drop', { place })}
      <span>{t('compose.dropLimit', { size: fileSize(maxMegabytes * 1024 * 1024) })}</span>
    </div>,
    main,
  )
}

function useDroppedFiles(onFiles: DropZoneProps['onFiles']): boolean {
  const [isDragged, setDragged] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const shown = new AbortController()
    const { signal } = shown
    const end = () => setDragged(false)
    const dragged = (event: DragEvent) => {
      if (!hasFiles(event) || isFileField(event)) return
      clearTimeout(timer)
      timer = setTimeout(end, silence)
      setDragged(true)
    }
    const dropped = (event: DragEvent) => {
      if (!hasFiles(event) || isFileField(event)) return
      end()
      latest.current([...event.dataTransfer!.files])
    }
    document.addEventListener('dragover', dragged, { signal })
    document.addEventListener('drop', dropped, { signal })
    return () => {
      clearTimeout(timer)
      shown.abort()
    }
  }, [])
  return isDragged
}
