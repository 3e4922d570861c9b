/** Drafts stay on this device, by conversation, until the message is sent. */
const prefix = 'parley draft '

export function readDraft(key: string): string {
  return localStorage.getItem(prefix + key) ?? ''
}

export function keepDraft(key: string, text: string): void {
  if (text.trim() === '') localStorage.removeItem(prefix + key)
  else localStorage.setItem(prefix + key, text)
}

export interface LocalDraft {
  key: string
  text: string
}

export function listDrafts(): LocalDraft[] {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ key: name.slice(prefix.length), text: localStorage.getItem(name) ?? '' }))
}
