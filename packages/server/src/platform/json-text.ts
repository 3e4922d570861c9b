/** A value that is already serialized. Responses contain it as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  static of(value: unknown): JsonText {
    return new JsonText(JSON.stringify(value))
  }
}

/** A serialized object, which is not empty, with more fields. */
export function withFields({ text }: JsonText, fields: object): JsonText {
  const more = JSON.stringify(fields)
  return more === '{}' ? new JsonText(text) : new JsonText(`${text.slice(0, -1)},${more.slice(1)}`)
}
