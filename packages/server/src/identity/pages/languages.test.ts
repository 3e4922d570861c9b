import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLoopback } from '../../testing/peers/loopback.ts'
import { wantedLanguages } from './languages.ts'

const { realm } = await newLoopback()

async function signInPage(language: string, path = '/login'): Promise<string> {
  return (await fetch(`${realm}${path}`, { headers: { 'accept-language': language, accept: 'text/html' } })).text()
}

test('a page is shown in the language that the browser asks for', async () => {
  assert.match(await signInPage('de-AT,de;q=0.9,en;q=0.8'), /<html lang="de" dir="ltr">.*Passwort/s)
  assert.match(await signInPage('pt-BR'), /<html lang="pt-br" dir="ltr">.*Senha/s)
  assert.match(await signInPage('ar'), /<html lang="ar" dir="rtl">/)
})

test('a page is English where there is no other language that the browser wants', async () => {
  for (const language of ['', 'tlh', 'en-GB, de', '*', ';;q=,', 'constructor'])
    assert.match(await signInPage(language), /<html lang="en" dir="ltr">.*Password/s, language)
})

test('errors on pages are translated', async () => {
  assert.match(await signInPage('de', '/login/oidc/none'), /Diese Art der Anmeldung/)
})

test('the most wanted language comes first, and refused ones are left out', () => {
  assert.deepEqual(wantedLanguages('en;q=0.5, fr;q=0, de'), ['de', 'en'])
})
