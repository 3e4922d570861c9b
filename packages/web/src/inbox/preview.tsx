import { useState } from 'react'
import { Composer } from '../compose/composer.tsx'
import { Feed } from '../feed/feed.tsx'
import { titleOf } from '../feed/titles.ts'
import { t } from '../platform/i18n.ts'
import { goTo } from '../platform/routing.ts'
import { useSlices } from '../session/context.tsx'
import { narrowHash } from '../session/links.ts'
import { TopicMenu } from '../topics/topic-menu.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { narrowOf, type UnreadConversation } from './model.ts'

interface PreviewProps {
  conversation: UnreadConversation
  /** Only for a conversation that the user chose: otherwise an open inbox would read everything, one after another. */
  marksRead: boolean
  onDone: () => void
}

/** The chosen conversation, beside the list. */
export function Preview({ conversation, marksRead, onDone }: PreviewProps) {
  const store = useSlices('channels', 'users')
  const [narrow] = useState(() => narrowOf(conversation))
  const { place } = conversation
  return (
    <section className="preview" aria-label={t('inbox.conversation')}>
      <div className="head">
        <h2>{titleOf(narrow, store)}</h2>
        <div className="end">
          <Button look="outline" icon="check" onClick={onDone}>
            {t('inbox.done')}
          </Button>
          <IconButton label={t('common.open')} icon="maximize-2" onClick={() => goTo(narrowHash(narrow, store))} />
          {'stream_id' in place && <TopicMenu place={place} />}
        </div>
      </div>
      <Feed
        narrow={narrow}
        isPreview
        marksRead={marksRead}
        emptyText={t('feed.empty')}
        onQuote={() => goTo(narrowHash(narrow, store))}
      />
      <Composer destination={place} />
    </section>
  )
}
