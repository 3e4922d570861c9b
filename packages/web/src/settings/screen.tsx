import { useEffect, useState } from 'react'
import { chooseTheme, type Theme } from '../platform/theme.ts'
import { shortTime } from '../platform/times.ts'
import { useSession, useStore } from '../session/context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { showToast } from '../ui/toast.tsx'

const themes: [value: number, theme: Theme, label: string][] = [
  [1, 'system', 'Like the system'],
  [3, 'light', 'Light'],
  [2, 'dark', 'Dark'],
]

export function themeOf(colorScheme: unknown): Theme {
  return themes.find(([value]) => value === colorScheme)?.[1] ?? 'system'
}

/** The viewer's own settings. Every change is saved at once and can be undone. */
export function SettingsScreen() {
  const store = useStore()
  const { client, viewerId } = useSession()
  const own = store.users.byId.get(viewerId)
  const save = (name: string, value: unknown, before: unknown) => {
    const set = (one: unknown) => client.call('updateSettings', { [name]: one } as never)
    set(value)
      .then(() => showToast({ text: 'Saved.', undo: () => void set(before).catch(() => {}) }))
      .catch((error: Error) => showToast({ text: error.message, isError: true }))
  }
  const scheme = store.preferences.get('color_scheme')
  return (
    <main className="main">
      <header className="bar">
        <div className="two">
          <h1>Settings</h1>
        </div>
      </header>
      <div className="settings-page">
        <section className="card">
          <header>
            <h2>Profile</h2>
          </header>
          <div className="line-item">
            <div>
              <b>{own?.full_name}</b>
              <span className="d">{own?.email}</span>
            </div>
            <Button look="outline" icon="log-out" onClick={() => void signOut(client)}>
              Sign out
            </Button>
          </div>
        </section>
        <section className="card">
          <header>
            <h2>Appearance</h2>
          </header>
          <div className="line-item">
            <div>
              <b>Theme</b>
            </div>
            <div className="seg" role="group" aria-label="Theme">
              {themes.map(([value, theme, label]) => (
                <Button
                  key={theme}
                  look={themeOf(scheme) === theme ? 'on' : ''}
                  aria-pressed={themeOf(scheme) === theme}
                  onClick={() => {
                    chooseTheme(theme)
                    save('color_scheme', value, scheme)
                  }}
                >
                  {label}
                </Button>
              ))}
            </div>
          </div>
          <Switch
            name="enter_sends"
            label="Enter sends"
            detail="Otherwise Ctrl Enter sends, and Enter starts a new line."
            save={save}
          />
        </section>
        <section className="card">
          <header>
            <h2>Notifications</h2>
          </header>
          <Switch
            name="enable_desktop_notifications"
            label="Desktop notifications"
            detail="For direct messages and mentions."
            save={save}
          />
          <Switch name="enable_sounds" label="Sounds" detail="" save={save} />
        </section>
        <Sessions />
      </div>
    </main>
  )
}

interface SwitchProps {
  name: string
  label: string
  detail: string
  save: (name: string, value: unknown, before: unknown) => void
}

function Switch({ name, label, detail, save }: SwitchProps) {
  const store = useStore()
  const isOn = store.preferences.get(name) === true
  return (
    <div className="line-item">
      <div>
        <b>{label}</b>
        <span className="d">{detail}</span>
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        className={`switch ${isOn ? 'on' : ''}`}
        onClick={() => save(name, !isOn, isOn)}
      />
    </div>
  )
}

type SessionEntry = { id: number; device: string; is_current: boolean; last_used_at: number; ip_address: string }

function Sessions() {
  const { client } = useSession()
  const [sessions, setSessions] = useState<SessionEntry[]>([])
  const load = () =>
    client.call('getSessions').then(
      (answer) => setSessions(answer.sessions),
      () => {},
    )
  useEffect(() => void load(), [client])
  return (
    <section className="card">
      <header>
        <h2>Where you are signed in</h2>
      </header>
      {sessions.map(({ id, device, is_current, last_used_at, ip_address }) => (
        <div key={id} className="line-item">
          <Icon name="monitor-smartphone" />
          <div>
            <b>{device}</b>
            <span className="d">
              {is_current ? 'This device' : `Last used ${shortTime(last_used_at)}`} · {ip_address}
            </span>
          </div>
          {!is_current && (
            <Button
              look="outline"
              onClick={() => void client.call('endSession', { path: { session_id: id } }).then(load)}
            >
              End
            </Button>
          )}
        </div>
      ))}
    </section>
  )
}

async function signOut(client: ReturnType<typeof useSession>['client']): Promise<void> {
  await client.call('endCurrentSession').catch(() => {})
  window.location.href = '/login'
}
