import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { test } from 'node:test'
import ece from 'http_ece'
import { encrypt, maxPayload } from './encrypt.ts'

const decode = (text: string) => Buffer.from(text, 'base64url')

test('the example of RFC 8291 is encrypted as its appendix says', () => {
  const sender = createECDH('prime256v1')
  sender.setPrivateKey(decode('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const receiver = {
    publicKey: decode('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    authSecret: decode('BTBZMqHH6r4Tts7J_aSIgg'),
  }
  const salt = decode('DGv6ra1nlYgDCS1FRnbzlw')
  const body = encrypt(Buffer.from('When I grow up, I want to be a watermelon'), receiver, sender, salt)
  assert.equal(
    body.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('another implementation decrypts messages of every size, and longer ones are refused', () => {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const authSecret = Buffer.alloc(16, 7)
  for (const length of [0, 1, 1000, maxPayload]) {
    const body = encrypt(Buffer.alloc(length, 'x'), { publicKey: browser.getPublicKey(), authSecret })
    assert.ok(body.length <= 4096)
    const opened = ece.decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret })
    assert.equal(opened.toString(), 'x'.repeat(length))
  }
  const tooLong = Buffer.alloc(maxPayload + 1)
  assert.throws(() => encrypt(tooLong, { publicKey: browser.getPublicKey(), authSecret }), /at most/)
})
