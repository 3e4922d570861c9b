import { useState } from 'react'
import { type PlainId, t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { openSteps, type StepName, stepNames } from './next-steps-model.ts'

/** Email is set up on the server, so that step has no page. */
const steps: Record<StepName, { icon: IconName; title: PlainId; text: PlainId; hash?: string; action?: PlainId }> = {
  people: {
    icon: 'mail-plus',
    title: 'steps.people',
    text: 'steps.people.text',
    hash: '#organization/invitations',
    action: 'steps.people.action',
  },
  channels: {
    icon: 'hash',
    title: 'steps.channels',
    text: 'steps.channels.text',
    hash: '#channels/new',
    action: 'channel.new',
  },
  image: {
    icon: 'image',
    title: 'steps.image',
    text: 'steps.image.text',
    hash: '#organization/profile',
    action: 'steps.image.action',
  },
  email: { icon: 'at-sign', title: 'steps.email', text: 'steps.email.text' },
}

/** What the owner of a nearly empty organization could do next. A step goes when it is done or skipped. */
export function NextStepsCard() {
  const store = useSlices('channels', 'realm', 'users', 'viewer')
  const [skipped, skip] = useSkipped()
  const open = openSteps(store, skipped)
  if (open.length === 0) return null
  return (
    <section className="while-away steps" aria-label={t('steps.title')}>
      <header>
        <h2>{t('steps.title')}</h2>
        <Button look="small" onClick={() => skip([...stepNames])}>
          {t('steps.dismiss')}
        </Button>
      </header>
      <p className="quiet">{t('steps.text')}</p>
      <ul>
        {open.map((name) => (
          <Step key={name} name={name} onSkip={() => skip([name])} />
        ))}
      </ul>
    </section>
  )
}

function Step({ name, onSkip }: { name: StepName; onSkip: () => void }) {
  const { icon, title, text, hash, action } = steps[name]
  return (
    <li>
      <Icon name={icon} />
      <span>
        <b>{t(title)}</b>
        <span className="quiet">{t(text)}</span>
      </span>
      <span className="end">
        <Button aria-label={t('steps.skipName', { name: t(title) })} onClick={onSkip}>
          {t('steps.skip')}
        </Button>
        {hash && action && (
          <a className="btn outline" href={hash}>
            {t(action)}
          </a>
        )}
      </span>
    </li>
  )
}

/** Kept on this device. */
function useSkipped(): [skipped: string[], skip: (names: StepName[]) => void] {
  const key = `skipped-steps ${useSession().viewerId}`
  const [skipped, setSkipped] = useState<string[]>(() => JSON.parse(localStorage.getItem(key) ?? '[]'))
  const skip = (names: StepName[]) => {
    const all = [...skipped, ...names]
    localStorage.setItem(key, JSON.stringify(all))
    setSkipped(all)
  }
  return [skipped, skip]
}
