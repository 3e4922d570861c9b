import { t } from '../platform/i18n.ts'
import { SwitchLine } from '../settings/controls.tsx'
import { TextLine } from '../settings/fields.tsx'
import { useRealmSettings } from './use-realm.ts'

/** Where linked pages are previewed, and which. */
export function LinkPreviewLines() {
  const { get, set } = useRealmSettings()
  const domains = (name: string) => ({
    detail: t('organization.domainList'),
    value: String(get(name) ?? ''),
    maxLength: 2000,
    onSave: (text: string) => set(name, text),
  })
  return (
    <>
      <SwitchLine
        label={t('organization.privatePreviews')}
        detail={t('organization.privatePreviews.text')}
        isOn={get('preview_private_conversations') === true}
        onChange={(isOn) => void set('preview_private_conversations', isOn)}
      />
      <TextLine label={t('organization.previewsAllowed')} {...domains('preview_domains_allowed')} />
      <TextLine label={t('organization.previewsDenied')} {...domains('preview_domains_denied')} />
    </>
  )
}
