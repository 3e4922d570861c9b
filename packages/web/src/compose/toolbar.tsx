import type { RefObject } from 'react'
import { t } from '../platform/i18n.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { wrapSelection } from './editing.ts'

export function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  return (
    <label className="btn square tiny" title={t('compose.attach')}>
      <Icon name="plus" />
      <input
        type="file"
        multiple
        className="hidden"
        aria-label={t('compose.attach')}
        onChange={({ target }) => {
          if (target.files) onFiles([...target.files])
          target.value = '' // the same file can be chosen again
        }}
      />
    </label>
  )
}

const formats = [
  ['compose.bold', 'letter-b', '**', '**'],
  ['compose.italic', 'italic', '*', '*'],
  ['compose.link', 'link', '[', '](url)'],
  ['compose.list', 'list', '\n* ', ''],
  ['compose.code', 'code', '`', '`'],
  ['compose.quote', 'text-quote', '\n```quote\n', '\n```\n'],
] as const

export function Formats({ area }: { area: RefObject<HTMLTextAreaElement | null> }) {
  return (
    <>
      <span className="gap" />
      {formats.map(([label, icon, before, after]) => (
        <IconButton
          key={label}
          label={t(label)}
          icon={icon}
          look="tiny"
          onClick={() => area.current && wrapSelection(area.current, before, after)}
        />
      ))}
      <span className="gap" />
    </>
  )
}
