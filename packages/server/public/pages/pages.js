// Small conveniences. Every page works without them.

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
