import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, codeAt, currentStep, enrolmentUrl, stepOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 6238, appendix B. The vectors have eight digits; ours are the last six of them.
for (const [seconds, code] of [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const)
  test(`RFC 6238: the code at ${seconds} s`, () => {
    assert.equal(codeAt(secret, currentStep(seconds * 1000)), code.slice(-6))
  })

test('a code is accepted one step early or late, and no further', () => {
  const found = [-2, -1, 0, 1, 2].map((offset) => stepOf(secret, codeAt(secret, 1000 + offset), 1000))
  assert.deepEqual(found, [undefined, 999, 1000, 1001, undefined])
})

test('a code of another length is wrong', () => {
  const code = codeAt(secret, 1000)
  for (const wrong of ['', code.slice(1), `${code}0`, 'é'.repeat(6)])
    assert.equal(stepOf(secret, wrong, 1000), undefined)
})

test('the secret is shown in base32, as in RFC 4648', () => {
  assert.equal(base32(Buffer.from('foobar')), 'MZXW6YTBOI')
  assert.equal(base32(Buffer.from('foob')), 'MZXW6YQ')
})

test('names in the URL for the app are escaped', () => {
  const url = new URL(enrolmentUrl(secret, 'A&B: "x"', 'ann+1@b.example'))
  assert.equal(url.searchParams.get('issuer'), 'A&B: "x"')
  assert.equal(decodeURIComponent(url.pathname), '/A&B: "x":ann+1@b.example')
})
