import { Type } from 'typebox'
import { text } from '../common.ts'
import { textLimits } from '../limits.ts'
import { operation } from '../operation.ts'

const token = text(textLimits.pushToken)
const endpoint = Type.String({
  maxLength: 1000,
  description: 'The URL of the push service that the browser chose.',
})

export const addApnsToken = operation({
  name: 'addApnsToken',
  method: 'POST',
  path: '/users/me/apns_device_token',
  access: 'human',
  tag: 'Push',
  summary: 'Register an Apple device for push notifications.',
  params: { token, appid: text(textLimits.opaqueId) },
})

export const removeApnsToken = operation({
  name: 'removeApnsToken',
  method: 'DELETE',
  path: '/users/me/apns_device_token',
  access: 'human',
  tag: 'Push',
  summary: 'Remove an Apple device from push notifications.',
  params: { token },
})

export const addFcmToken = operation({
  name: 'addFcmToken',
  method: 'POST',
  path: '/users/me/android_gcm_reg_id',
  access: 'human',
  tag: 'Push',
  summary: 'Register an Android device for push notifications.',
  params: { token },
})

export const removeFcmToken = operation({
  name: 'removeFcmToken',
  method: 'DELETE',
  path: '/users/me/android_gcm_reg_id',
  access: 'human',
  tag: 'Push',
  summary: 'Remove an Android device from push notifications.',
  params: { token },
})

export const sendTestNotification = operation({
  name: 'sendTestNotification',
  method: 'POST',
  path: '/mobile_push/test_notification',
  access: 'human',
  tag: 'Push',
  summary:
    'Send a test notification to one or all registered devices. Refused, because this server sends no push notifications.',
  params: {
    token: Type.Optional(text(textLimits.pushToken, { description: 'Without it, all devices of the caller.' })),
  },
  errors: ['INVALID_PUSH_DEVICE_TOKEN'],
})

export const getWebPush = operation({
  name: 'getWebPush',
  method: 'GET',
  path: '/users/me/web_push',
  access: 'human',
  scope: 'full',
  tag: 'Push',
  summary: 'Get what a browser needs to subscribe to notifications, and the browsers that the caller has registered.',
  response: {
    public_key: Type.String({ description: "The server's VAPID key in base64url: the `applicationServerKey`." }),
    endpoints: Type.Array(Type.String()),
  },
})

export const addWebPush = operation({
  name: 'addWebPush',
  method: 'POST',
  path: '/users/me/web_push',
  access: 'human',
  scope: 'full',
  tag: 'Push',
  summary:
    'Register a browser for notifications. It ends with the session or token of this request; registering it again changes its owner.',
  params: {
    endpoint,
    p256dh: Type.String({ maxLength: 100, description: 'The public key of the subscription, in base64url.' }),
    auth: Type.String({ maxLength: 50, description: 'The secret of the subscription, in base64url.' }),
  },
})

export const removeWebPush = operation({
  name: 'removeWebPush',
  method: 'DELETE',
  path: '/users/me/web_push',
  access: 'human',
  scope: 'full',
  tag: 'Push',
  summary: 'Stop notifications of a browser of the caller.',
  params: { endpoint },
})

export const testWebPush = operation({
  name: 'testWebPush',
  method: 'POST',
  path: '/users/me/web_push/test',
  access: 'human',
  scope: 'full',
  tag: 'Push',
  summary: 'Send a test notification to a browser of the caller.',
  params: { endpoint },
})
