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
