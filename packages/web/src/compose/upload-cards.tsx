import { useEffect, useState } from 'react'
import { number, t } from '../platform/i18n.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { fileSize, isGoing, type Upload } from './uploads.ts'

interface UploadCardsProps {
  uploads: readonly Upload[]
  text: string
  onText: (text: string) => void
}

/** The files of a message that is being written, in the order in which they were chosen. */
export function UploadCards({ uploads, text, onText }: UploadCardsProps) {
  // A file whose link was removed from the text is no longer part of the message.
  const isAttached = ({ link, isInserted }: Upload) => !isInserted || text.includes(link!)
  const attached = uploads.filter((one) => one.failure === undefined && isAttached(one))
  const remove = ({ link, cancel }: Upload) => {
    if (link) onText(text.replace(`${link}\n`, '').replace(link, ''))
    cancel()
  }
  return (
    <>
      {attached.length > 0 && (
        <ul className="uploads">
          {attached.map((upload) => (
            <Card key={upload.id} upload={upload} onRemove={() => remove(upload)} />
          ))}
        </ul>
      )}
      {uploads.map((upload) => upload.failure !== undefined && <Failed key={upload.id} upload={upload} />)}
    </>
  )
}

function Card({ upload, onRemove }: { upload: Upload; onRemove: () => void }) {
  const { file, progress } = upload
  const size = fileSize(file.size)
  const name = { file: file.name }
  return (
    <li className="upload">
      <Thumbnail file={file} />
      <span className="about">
        <b title={file.name}>{file.name}</b>
        <span>
          {isGoing(upload) ? t('compose.uploaded', { percent: number(Math.floor(progress * 100)), size }) : size}
        </span>
      </span>
      {isGoing(upload) && <progress value={progress} max={1} aria-label={t('compose.uploading', name)} />}
      <IconButton
        label={isGoing(upload) ? t('compose.cancelUpload') : t('compose.removeFile', name)}
        icon="x"
        look="tiny off"
        onClick={onRemove}
      />
    </li>
  )
}

function Thumbnail({ file }: { file: File }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!/^image\/(?!svg)/.test(file.type)) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <span className="pic">
      {url ? <img src={url} alt="" onError={() => setUrl(undefined)} /> : <Icon name="file-text" />}
    </span>
  )
}

function Failed({ upload: { file, failure, retry, cancel } }: { upload: Upload }) {
  return (
    <div className="upload-failed" role="alert">
      <Icon name="alert" size="s" />
      <span>{t('compose.uploadFailed', { file: file.name, reason: failure! })}</span>
      {retry && (
        <Button look="outline" icon="refresh" onClick={retry}>
          {t('common.tryAgain')}
        </Button>
      )}
      <IconButton label={t('common.discard')} icon="x" look="tiny" onClick={cancel} />
    </div>
  )
}
