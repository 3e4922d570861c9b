import { t } from '../platform/i18n.ts'
import { keyLabel, keyTable } from '../platform/keys.ts'
import { Dialog } from '../ui/dialog.tsx'

/** The keyboard table, as the listener knows it. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const sections = Map.groupBy(keyTable, ([, , , section]) => section)
  return (
    <Dialog title={t('keys.title')} onClose={onClose} look="wide-dialog">
      <div className="key-sections">
        {[...sections].map(([section, keys]) => (
          <section key={section}>
            <h3>{t(section)}</h3>
            <dl>
              {keys.map(([command, names, label]) => (
                <div key={command}>
                  <dt>{t(label)}</dt>
                  <dd>
                    {names.map((name) => (
                      <kbd key={name}>{keyLabel(name)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
