import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceName } from './device-name.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const names: [userAgent: string, name: string][] = [
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/145.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/145.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/145.0.0.0 Safari/537.36 Edg/145.0.0.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/145.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 CriOS/145.0 Safari/604.1',
    'Chrome on iPhone',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  ['ZulipTerminal/0.7', 'ZulipTerminal'],
  ['', 'Unknown device'],
]

test('devices have the name of their browser and system', () => {
  for (const [userAgent, name] of names) assert.equal(deviceName(userAgent), name, userAgent)
})
