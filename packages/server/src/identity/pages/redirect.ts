/** Sends the browser to another page of ours. */
export class Redirect {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }
}
