/** Replaces `{channel design}` by what is known under this name. Other braces stay as they are. */
export function fillIds(text: string, ids: ReadonlyMap<string, string | number>): string {
  return text.replace(/\{((?:channel|person|message|upload|group|hook|text) [^{}]+)\}/g, (_, name: string) => {
    const found = ids.get(name)
    if (found === undefined) throw new Error(`The gallery knows no {${name}}.`)
    return String(found)
  })
}
