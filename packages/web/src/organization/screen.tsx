import { t } from '../platform/i18n.ts'
import { useSlices } from '../session/context.tsx'
import { Frame } from '../settings/frame.tsx'
import { ownPages } from '../settings/pages.ts'
import { organizationPages } from './pages.ts'

/** The viewer's settings and those of the organization. */
export function SettingsScreen({ hash }: { hash: string }) {
  const store = useSlices('realm')
  const chapters = [
    { title: t('nav.you'), pages: ownPages },
    { title: String(store.realm.settings.name ?? t('organization.title')), pages: organizationPages },
  ]
  const home = hash === '#organization' ? '#organization/profile' : '#settings/profile'
  return <Frame chapters={chapters} hash={hash} home={home} />
}
