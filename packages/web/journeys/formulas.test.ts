import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import katex from 'katex'
import type { Page } from 'playwright-core'
import { type Demo, journey, openTopic } from './journey.ts'

/** One for each kind of function and environment of KaTeX. */
const inline = String.raw`\frac{a}{b}
\binom{n}{k}
\cfrac{1}{1+\cfrac{1}{x}}
{a \over b}{n \brack k}{a \above{1pt} b}
\genfrac{[}{)}{2pt}{1}{a}{b}
\hat{a}\vec{v}\widehat{abc}\overrightarrow{AB}
\text{\'e \"o}
\underrightarrow{AB}\utilde{ab}
\xrightarrow[below]{above}\xmapsto{f}
a\mathrel{R}b\mathbin{+}c
\stackrel{def}{=}\overset{!}{=}\underset{x}{\min}
\pmb{x}+x
\textcolor{red}{x}\color{blue}y
\bigl(\Big[\bigg\{\Bigg|
\left(\frac{\frac{a}{b}}{c}\middle|\frac{x}{y}\right]
\colorbox{yellow}{a}\fcolorbox{red}{aqua}{b}\fbox{c}
\cancel{x}\bcancel{y}\xcancel{z}\sout{abc}\phase{-78^\circ}
a_{\angl{n}}
\mathbb{R}\mathcal{C}\mathfrak{g}\mathscr{S}\mathsf{s}\mathtt{t}\mathbf{b}
\boldsymbol{\alpha}{\bf b}{\rm r}
\overbrace{a+b}^{2}\underbrace{c+d}_{2}
\hbox{in a box}
a\kern1em b\hskip2pt c
\mathllap{/}=\mathrlap{x}yz
\mathchoice{D}{T}{S}{SS}
\mathop{op}\nolimits_a^b\operatorname{rank} A
\overline{x+y}\underline{x+y}
a\phantom{bcd}e\vphantom{\int}
a\raisebox{0.4em}{up}b
\rule[0.2em]{2em}{0.1em}\smash{\frac{a}{b}}
\sqrt{x}\sqrt[3]{\frac{x}{y}}
\scriptstyle x\displaystyle\frac{a}{b}
\tiny a\large b\Huge c
\text{some text}\textbf{bold}\textit{it}\texttt{tt}
\vcenter{\frac{a}{b}}x\verb|x^2|
x^{2^2}_{i_j}f''
\sum_{i=0}^n i^2\int_0^1\oint\lim_{x\to0}\prod\bigcup
\begin{matrix}a&b\\c&d\end{matrix}
\begin{pmatrix}a&b\\c&d\end{pmatrix}\begin{Vmatrix}a&b\\c&d\end{Vmatrix}
\begin{bmatrix*}[r]-1&2\\3&-4\end{bmatrix*}
\begin{smallmatrix}a&b\\c&d\end{smallmatrix}
\begin{array}{c|cc}a&b&c\\\hline d&e&f\\\hdashline g&h&i\end{array}
\begin{cases}1&x>0\\0&x\le0\end{cases}\begin{rcases}a\\b\end{rcases}
\sum_{\begin{subarray}{l}i<n\\j<m\end{subarray}}
\begin{aligned}a&=b\\&=c\end{aligned}
\begin{alignedat}{2}a&=b\\&=c\end{alignedat}
\begin{gathered}a\\bc\end{gathered}`.split('\n')
const display = String.raw`\frac{a}{b}+\binom{n}{k}
\sum_{k=1}^{n}\int_0^\infty\prod_i
\begin{equation}E=mc^2\end{equation}
\begin{align}a&=b\\c&=d\end{align}
\begin{gather*}a\\b\end{gather*}
\begin{alignat}{2}a&=b&\quad c&=d\end{alignat}
\begin{CD}A@>a>>B\\@VbVV@AAcA\\C@=D\end{CD}
\begin{dcases}\frac{a}{b}\\c\end{dcases}
x=y\tag{1.1}
a\\b
\begin{split}a&=b\\&=c\end{split}`.split('\n')

interface Formula {
  tex: string
  /** What each part is, and its place from the start of the formula. */
  parts: { look: string; place: number[] }[]
}

/** All formulas in an element, in its order. */
function formulasIn(selector: string): Formula[] {
  return [...document.querySelectorAll(`${selector} .katex`)].map((formula) => {
    const start = formula.querySelector('.base')!.getBoundingClientRect()
    const parts = [...formula.querySelectorAll('.katex-html *')].map((part) => {
      const { left, top, width, height } = part.getBoundingClientRect()
      const { fontFamily, borderBottomWidth, backgroundColor } = getComputedStyle(part)
      const look = [part.getAttribute('class'), fontFamily, borderBottomWidth, backgroundColor].join(', ')
      return { look, place: [left - start.left, top - start.top, width, height] }
    })
    return { tex: formula.querySelector('annotation')!.textContent, parts }
  })
}

/** The parts that differ in more than what browsers round. */
function differences(a: Formula, b: Formula): string[] {
  return a.parts.flatMap(({ look, place }, index) => {
    const other = b.parts[index]
    const isSame = other?.look === look && place.every((one, n) => Math.abs(one - other.place[n]!) < 0.6)
    return isSame ? [] : [`${look} at ${place} instead of ${other?.look} at ${other?.place}`]
  })
}

const fontsLoaded = () => document.fonts.ready.then(() => {})

/** What KaTeX alone draws, with its own style sheet and nothing else. */
async function drawAlone(page: Page, width: number): Promise<Formula[]> {
  const folder = dirname(createRequire(import.meta.url).resolve('katex/dist/katex.min.css'))
  await page.route('http://katex.test/**', (route) => {
    const { pathname } = new URL(route.request().url())
    const html = `<link rel="stylesheet" href="/katex.min.css"><div id="all"></div>`
    return pathname === '/'
      ? route.fulfill({ contentType: 'text/html', body: `<!doctype html>${html}` })
      : route.fulfill({ path: join(folder, pathname) })
  })
  await page.goto('http://katex.test/')
  const draw = (tex: string, displayMode: boolean) => katex.renderToString(tex, { displayMode, strict: 'ignore' })
  const paragraphs = [
    ...inline.map((tex) => `<p>${draw(tex, false)}</p>`),
    ...display.map((tex) => `<p>${draw(tex, true)}</p>`),
  ].join('')
  const style = `font: 15px/1.5 sans-serif; inline-size: ${width}px`
  await page.evaluate(`document.getElementById('all').innerHTML = ${JSON.stringify(paragraphs)}`)
  await page.evaluate(`document.getElementById('all').setAttribute('style', ${JSON.stringify(style)})`)
  await page.evaluate(fontsLoaded)
  return page.evaluate(formulasIn, '#all')
}

/** In several messages: the server typesets only so much of one. */
async function sendFormulas(demo: Demo): Promise<void> {
  const admin = await demo.as('admin')
  const texts = [...inline.map((tex) => `$$${tex}$$`), ...display.map((tex) => `\`\`\`math\n${tex}\n\`\`\``)]
  for (let from = 0; from < texts.length; from += 4) {
    const content = texts.slice(from, from + 4).join('\n\n')
    await admin.call('sendMessage', { type: 'stream', to: 'general', topic: 'formulas', content })
  }
}

journey('formulas are drawn as by KaTeX alone', async ({ demo, open, signIn }) => {
  await sendFormulas(demo)
  const page = await signIn('Marta', '#inbox', { viewport: { width: 1280, height: 8000 } })
  await openTopic(page, demo, 'general', 'formulas')
  const count = inline.length + display.length
  await page.waitForFunction((all) => document.querySelectorAll('.text .katex').length === all, count)
  await page.waitForFunction(() => getComputedStyle(document.querySelector('.katex')!).fontFamily.includes('KaTeX'))
  await page.evaluate(fontsLoaded)
  const drawn = await page.evaluate(formulasIn, '.feed')
  const width = await page.evaluate(() => document.querySelector('.text')!.clientWidth)
  const alone = await drawAlone(await open('about:blank'), width)
  assert.deepEqual(
    drawn.map(({ tex }) => tex),
    alone.map(({ tex }) => tex),
  )
  for (const [index, formula] of drawn.entries()) assert.deepEqual(differences(formula, alone[index]!), [], formula.tex)

  const offCentre = await page.evaluate(() => {
    const line = document.querySelector('.katex-display')!
    const parts = [...line.querySelectorAll('.base')].map((base) => base.getBoundingClientRect())
    const { left, right } = line.getBoundingClientRect()
    return parts[0]!.left - left - (right - parts.at(-1)!.right)
  })
  assert.ok(Math.abs(offCentre) < 2, `${offCentre} px`)
})

journey('a formula takes its height before its style sheet is loaded', async (context) => {
  const admin = await context.demo.as('admin')
  const content = String.raw`Half: $$\frac{a}{b}$$`
  await admin.call('sendMessage', { type: 'stream', to: 'general', topic: 'slow formulas', content })
  const page = await context.signIn('Marta')
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/formula-styles-*.css', async (route) => {
    await isReleased
    await route.continue()
  })
  await openTopic(page, context.demo, 'general', 'slow formulas')
  const row = page.locator('article.msg', { hasText: 'Half' })
  const before = await row.boundingBox()
  release()
  await page.waitForFunction(() => getComputedStyle(document.querySelector('.katex')!).fontFamily.includes('KaTeX'))
  await page.evaluate(fontsLoaded)
  const change = (await row.boundingBox())!.height - before!.height
  assert.ok(Math.abs(change) < 1.5, `${change} px`)
})
