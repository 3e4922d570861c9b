import type { Attachment } from '@parley/api/conversations/uploads'
import { fileSize } from '../compose/uploads.ts'
import { t } from '../platform/i18n.ts'
import { shortTime } from '../platform/times.ts'
import { useSession } from '../session/context.tsx'
import { Loaded, useLoaded } from '../session/loading.tsx'
import { ConfirmButton } from './confirm.tsx'
import { Card, Line } from './controls.tsx'
import { save } from './saving.ts'

/** What the viewer uploaded, the latest first. */
export function FilesPage() {
  const { client } = useSession()
  const files = useLoaded(() => client.call('getAttachments', {}).then(({ attachments }) => attachments))
  const remove = async ({ id }: Attachment) => {
    await save(() => client.call('deleteAttachment', { path: { attachment_id: id } }), { text: t('common.deleted') })
    files.reload()
  }
  return (
    <Card title={t('files.title')} text={t('files.text')}>
      <Loaded of={files}>
        {(all) =>
          all.length === 0 ? (
            <p className="none-yet">{t('files.none')}</p>
          ) : (
            all
              .toSorted((a, b) => b.create_time - a.create_time)
              .map((file) => <FileLine key={file.id} file={file} onDelete={() => void remove(file)} />)
          )
        }
      </Loaded>
    </Card>
  )
}

function FileLine({ file, onDelete }: { file: Attachment; onDelete: () => void }) {
  const { name, path_id, size, create_time, messages } = file
  const [message] = messages
  return (
    <Line
      label={
        <a className="linkish" href={`/user_uploads/${path_id}`} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
      }
      detail={`${fileSize(size)} · ${shortTime(create_time / 1000)}`}
    >
      {message ? (
        <a className="btn outline" href={`#narrow/near/${message.id}`}>
          {t('files.message')}
        </a>
      ) : (
        <span className="quiet">{t('files.unsent')}</span>
      )}
      <ConfirmButton
        label={t('common.delete')}
        question={t('common.deleteQuestion', { name })}
        explanation={t('files.deleteText')}
        onConfirm={onDelete}
      />
    </Line>
  )
}
