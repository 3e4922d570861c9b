import { PresentAvatar } from '../people/avatar.tsx'
import { t } from '../platform/i18n.ts'
import { keyLabel } from '../platform/keys.ts'
import { useCalmStore, useSession } from '../session/context.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Found, findPlaces } from './found-model.ts'
import { Item } from './items.tsx'

/** What the filter of the sidebar finds. The arrangement stays as it is. */
export function FoundPlaces({ query }: { query: string }) {
  useCalmStore()
  const groups = findPlaces(useSession(), query)
  return (
    <>
      {groups.map(({ label, found }) => (
        <section key={label} aria-label={label}>
          <h2>{label}</h2>
          {found.map((one) => (
            <Item key={one.hash} href={one.hash} unread={one.unread} color={one.channel?.color} title={one.name}>
              <Start of={one} />
              <span className="name">{one.name}</span>
            </Item>
          ))}
        </section>
      ))}
      <p className="quiet" role="status">
        {groups.length === 0
          ? t('picker.none')
          : t('sidebar.filterKeys', { enter: keyLabel('Enter'), escape: keyLabel('Escape') })}
      </p>
    </>
  )
}

function Start({ of: { userId, isResolved, isPrivate } }: { of: Found }) {
  if (userId !== undefined) return <PresentAvatar userId={userId} />
  if (isResolved !== undefined) return isResolved && <Icon name="check" size="s" />
  return <Icon name={isPrivate ? 'lock' : 'hash'} />
}
