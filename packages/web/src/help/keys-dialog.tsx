import { t } from '../platform/i18n.ts'
import { keyLabel, keyTable } from '../platform/keys.ts'
import { Dialog } from '../ui/dialog.tsx'
import { keySections } from './key-table.ts'

/** The keyboard table, as the listener knows it. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('keys.title')} onClose={onClose} look="wide-dialog">
      <div className="key-sections">
        {keySections.map(([section, labels]) => (
          <section key={section}>
            <h3>{t(section)}</h3>
            <dl>
              {labels.map(([command, label]) => (
                <div key={command}>
                  <dt>{t(label)}</dt>
                  <dd>
                    {keyTable[command].map((name) => (
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
