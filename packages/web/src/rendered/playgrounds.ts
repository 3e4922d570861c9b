export interface Playground {
  name: string
  pygments_language: string
  url_template: string
}

let all: () => readonly Playground[] = () => []

/** Says where the organization's code playgrounds are found. */
export function setPlaygrounds(list: () => readonly Playground[]): void {
  all = list
}

/** Where code in a language can be tried out. */
export function playgroundsFor(language: string): readonly Playground[] {
  return all().filter(({ pygments_language }) => pygments_language.toLowerCase() === language.toLowerCase())
}
