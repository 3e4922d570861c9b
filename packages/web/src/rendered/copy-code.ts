import { t } from '../platform/i18n.ts'
import { type Playground, playgroundsFor } from './playgrounds.ts'

/**
 * Blocks of code can be copied and opened in the organization's playgrounds for their language. Long ones are shown
 * whole on request: scrolled inside, they would trap the wheel.
 */
export function finishBlocks(content: Element): void {
  for (const block of content.querySelectorAll('.codehilite:not(:has(.copy-code))')) {
    const pre = block.querySelector('pre')
    if (!pre) continue
    block.append(toolsOf(pre, block.getAttribute('data-code-language') ?? ''))
    if (pre.scrollHeight > pre.clientHeight + 4) block.after(wholeButton(pre))
  }
}

function toolsOf(pre: HTMLElement, language: string): HTMLElement {
  const tools = document.createElement('span')
  tools.className = 'code-tools'
  tools.append(...playgroundsFor(language).map((one) => playgroundLink(one, pre)), copyButton(pre))
  return tools
}

function playgroundLink({ name, url_template }: Playground, pre: HTMLElement): HTMLElement {
  const link = document.createElement('a')
  link.className = 'btn outline tiny'
  link.textContent = name
  link.title = t('code.openIn', { name })
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  link.href = url_template.replaceAll('{code}', encodeURIComponent(codeOf(pre)))
  return link
}

const codeOf = (pre: HTMLElement) => pre.textContent.replace(/\n$/, '')

function copyButton(pre: HTMLElement): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn outline tiny copy-code'
  button.textContent = t('common.copy')
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(codeOf(pre)).then(
      () => (button.textContent = t('saving.copied')),
      () => (button.textContent = t('common.tryAgain')),
    )
  })
  button.addEventListener('blur', () => (button.textContent = t('common.copy')))
  return button
}

function wholeButton(pre: HTMLElement): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn tiny whole-code'
  const show = (isWhole: boolean) => {
    pre.classList.toggle('whole', isWhole)
    button.setAttribute('aria-expanded', String(isWhole))
    button.textContent = isWhole ? t('rendered.less') : t('rendered.all')
  }
  button.addEventListener('click', () => show(!pre.classList.contains('whole')))
  show(false)
  return button
}
