/** An email that is not accepted. The text is for its author; the codes are for mail servers (RFC 3463). */
export class MailRefused extends Error {
  readonly code: number
  readonly status: string

  constructor(code: number, status: string, message: string) {
    super(message)
    this.code = code
    this.status = status
  }
}
