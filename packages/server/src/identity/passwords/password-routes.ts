import { authorize } from '../../http/serving/authorize.ts'
import { type App, envelope } from '../../http/serving/serve.ts'
import type { RawParams } from '../../platform/http/body.ts'
import { networkOf } from '../../platform/http/network.ts'
import { rankPassword } from './password-strength.ts'

/** For the meter next to fields with a new password. Nothing is stored; requests are limited per IP address. */
export function passwordRoutes(app: App): void {
  app.server.post('/password-strength', { onRequest: authorize(app, { access: 'anyone' }) }, async (request, reply) => {
    const { password = '', email = '', full_name = '' } = request.body as RawParams
    const known = [email, full_name].filter((word) => word !== '').map((word) => word.slice(0, 100))
    return reply
      .type('application/json; charset=utf-8')
      .send(envelope(await rankPassword(networkOf(request.ip), password, known), []))
  })
}
