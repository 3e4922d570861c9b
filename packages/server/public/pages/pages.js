// Small conveniences. Every page works without them.

// The place in the client that was opened before signing in.
if (location.hash) for (const form of document.forms) form.action += location.hash

// A second click would send the form twice.
for (const form of document.forms)
  form.addEventListener('submit', () => {
    setTimeout(() => disableButtons(form, true))
  })
// Back from the cache of the browser, the form can be sent again.
addEventListener('pageshow', () => {
  disableButtons(document, false)
})

function disableButtons(part, isDisabled) {
  for (const button of part.querySelectorAll('button')) button.disabled = isDisabled
}

// "Shared computer" also holds for passkeys and for signing in with a provider.
const shared = document.getElementById('shared_computer')
if (shared) {
  shared.addEventListener('change', passOn)
  addEventListener('pageshow', passOn) // browsers restore what was chosen
}

function passOn() {
  for (const form of document.querySelectorAll('[data-passkey]')) form.elements.shared_computer.value = shared.checked
  for (const link of document.querySelectorAll('[data-sign-on]')) {
    const url = new URL(link.href)
    url.searchParams.set('shared_computer', shared.checked)
    link.href = url.href
  }
}

// Recovery codes can be copied and printed.
for (const part of document.querySelectorAll('[data-with-script]')) part.hidden = false
for (const button of document.querySelectorAll('[data-copy-list]'))
  button.addEventListener('click', () => void copyList(button))
document.querySelector('[data-print]')?.addEventListener('click', () => print())

async function copyList(button) {
  const lines = [...document.querySelectorAll(`${button.dataset.copyList} > *`)].map((line) => line.textContent)
  await navigator.clipboard.writeText(lines.join('\n')).then(
    () => {
      button.textContent = button.dataset.copied
    },
    () => {
      button.textContent = button.dataset.failed
    },
  )
}

// Passkeys: the browser asks for one, and its answer is sent with the form.
for (const form of document.querySelectorAll('[data-passkey]')) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) continue
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void askForPasskey(form)
  })
}

async function askForPasskey(form) {
  const problem = form.querySelector('[data-passkey-error]')
  problem.hidden = true
  const { kind, options } = JSON.parse(form.dataset.passkey)
  try {
    const publicKey =
      kind === 'create'
        ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
        : PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials[kind]({ publicKey })
    form.elements.response.value = JSON.stringify(credential.toJSON())
    form.submit()
  } catch {
    problem.hidden = false
    disableButtons(form, false)
  }
}

// Shows how strong a new password is while it is typed.
for (const meter of document.querySelectorAll('[data-meter]')) {
  const input = document.getElementById(meter.dataset.meter)
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => rank(input, meter), 250)
  })
}

async function rank(input, meter) {
  const password = input.value
  const known = [...input.form.elements].filter(({ name }) => ['email', 'full_name'].includes(name))
  const body = new URLSearchParams(known.map(({ name, value }) => [name, value]))
  body.set('password', password)
  const response = password === '' ? undefined : await fetch('/password-strength', { method: 'POST', body })
  if (input.value !== password) return
  meter.hidden = !response?.ok
  if (!response?.ok) return
  const { score, text } = await response.json()
  meter.dataset.score = score
  meter.textContent = text
}

// Links to copy are selected as a whole.
for (const input of document.querySelectorAll('[data-copy]')) input.addEventListener('focus', () => input.select())
