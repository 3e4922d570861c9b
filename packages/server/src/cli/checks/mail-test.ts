import { readConfig } from '../../config.ts'
import { smtpMailer } from '../../delivery/mail/mailer.ts'
import { checkEmail } from '../../people/users/profile/account-fields.ts'
import { reasonOf, StartupError } from '../../platform/postgres/startup-error.ts'

const text = 'This is a test email of Parley. If you can read it, emails of this server reach you.'

/** Sends an email with the settings of the server. Needs no database. */
export async function sendTestMail(to: string): Promise<void> {
  const address = checkEmail(to)
  const { smtpUrl, mailFrom } = readConfig('production')
  if (smtpUrl === undefined) throw new StartupError('Set SMTP_URL to your mail server: without it, no email is sent.')
  const mailer = smtpMailer(smtpUrl, mailFrom)
  try {
    await mailer.send({ name: '', address }, { subject: 'Test email of Parley', text, html: `<p>${text}</p>` })
  } catch (error) {
    throw new StartupError(
      `The mail server did not accept the email (${reasonOf(error)}): check SMTP_URL and MAIL_FROM.`,
    )
  } finally {
    mailer.close()
  }
  console.log(`The mail server accepted an email from ${mailFrom} to ${address}. Look whether it arrives.`)
}
