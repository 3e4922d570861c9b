import { Type } from 'typebox'
import { operation } from './operation.ts'

const token = Type.String()

export const addApnsToken = operation({
  name: 'addApnsToken',
  method: 'POST',
  path: '/users/me/apns_device_token',
  access: 'human',
  tag: 'Push',
  summary: 'Register an Apple device for push notifications.',
  params: { token, appid: Type.String() },
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
  params: { token: Type.Optional(Type.String({ description: 'Without it, all devices of the caller.' })) },
  errors: ['INVALID_PUSH_DEVICE_TOKEN'],
})
