import gitea from '../gitea/integration.ts'
import { header, integration } from '../src/integration.ts'

/** Forgejo began as Gitea, and sends the same under other names. */
export default integration({
  ...gitea,
  name: 'forgejo',
  title: 'Forgejo',
  event: header('x-forgejo-event'),
  deliveryId: 'x-forgejo-delivery',
  signature: { kind: 'hmac_sha256', header: 'x-forgejo-signature' },
})
