import type { ParleyClient } from '@parley/client/wire/client'
import { ParleyError } from '@parley/client/wire/errors'
import { askPermission, currentPermission } from './permission.ts'

export type PushState = 'unsupported' | 'denied' | 'off' | 'on'

/** The push service of the browser did not answer. */
export class NoPushService extends Error {}

/** Whether this browser is notified while no window is open. */
export async function readPushState(client: ParleyClient): Promise<PushState> {
  if (!isSupported()) return 'unsupported'
  if (currentPermission() === 'denied') return 'denied'
  const subscription = await currentSubscription()
  if (!subscription) return 'off'
  const { endpoints } = await client.call('getWebPush')
  return endpoints.includes(subscription.endpoint) ? 'on' : 'off'
}

function isSupported(): boolean {
  return 'PushManager' in window && navigator.serviceWorker !== undefined && currentPermission() !== 'unsupported'
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const worker = await navigator.serviceWorker.getRegistration()
  return (await worker?.pushManager.getSubscription()) ?? null
}

/** Must be called by a click, because the browser may have to ask for permission. */
export async function turnPushOn(client: ParleyClient): Promise<PushState> {
  if ((await askPermission()) !== 'granted') return readPushState(client)
  const { public_key } = await client.call('getWebPush')
  const { endpoint, keys } = (await subscribe(public_key)).toJSON()
  await client.call('addWebPush', { endpoint: endpoint!, p256dh: keys!.p256dh!, auth: keys!.auth! })
  return 'on'
}

/** A subscription for another key is replaced: the server may have got a new one. */
async function subscribe(applicationServerKey: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey }
  try {
    return await pushManager.subscribe(options).catch(async () => {
      await (await pushManager.getSubscription())?.unsubscribe()
      return pushManager.subscribe(options)
    })
  } catch (error) {
    throw new NoPushService('', { cause: error })
  }
}

export async function turnPushOff(client: ParleyClient): Promise<PushState> {
  const subscription = await currentSubscription()
  if (!subscription) return 'off'
  await client.call('removeWebPush', { endpoint: subscription.endpoint }).catch(ignoreUnknown)
  await subscription.unsubscribe()
  return 'off'
}

/** The server may have removed it already. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof ParleyError)) throw error
}

export async function sendTestPush(client: ParleyClient): Promise<void> {
  const subscription = await currentSubscription()
  await client.call('testWebPush', { endpoint: subscription?.endpoint ?? '' })
}
