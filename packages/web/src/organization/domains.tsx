import { t } from '../platform/i18n.ts'
import { useSession, useSlices } from '../session/context.tsx'
import { Card, Line } from '../settings/controls.tsx'
import { Field, Form } from '../settings/fields.tsx'
import { save, saveForm } from '../settings/saving.ts'
import { Button } from '../ui/button.tsx'

/** The domains of emails that may join, if the organization is restricted to some. */
export function DomainsCard({ isOwner }: { isOwner: boolean }) {
  const store = useSlices('domains', 'realm')
  const isRestricted = store.realm.settings.emails_restricted_to_domains === true
  const { client } = useSession()
  const domains = [...store.domains.byName.values()]
  const add = (domain: string, allow_subdomains: boolean) => client.call('addDomain', { domain, allow_subdomains })
  const send = (values: FormData) => saveForm(() => add(String(values.get('domain')).trim(), values.has('subdomains')))
  return (
    <Card
      title={t('domains.title')}
      text={isOwner ? t(isRestricted ? 'domains.text' : 'domains.unrestricted') : t('common.onlyOwners')}
    >
      {domains.map(({ domain, allow_subdomains }) => (
        <Line key={domain} label={domain} detail={allow_subdomains ? t('domains.withSubdomains') : undefined}>
          {isOwner && (
            <Button
              look="outline"
              aria-label={t('common.removeName', { name: domain })}
              onClick={() =>
                void save(() => client.call('removeDomain', { path: { domain } }), {
                  text: t('common.removed'),
                  undo: () => add(domain, allow_subdomains),
                })
              }
            >
              {t('common.remove')}
            </Button>
          )}
        </Line>
      ))}
      {domains.length === 0 && <p className="none-yet">{t('domains.none')}</p>}
      {isOwner && (
        <Form button={t('common.add')} onSend={send}>
          <Field label={t('domains.new')}>
            {(id) => <input id={id} name="domain" required className="text-input" />}
          </Field>
          <fieldset className="checks">
            <label>
              <input type="checkbox" name="subdomains" />
              <span>{t('domains.withSubdomains')}</span>
            </label>
          </fieldset>
        </Form>
      )}
    </Card>
  )
}
