import type { Plugin } from 'vite'

/** Every browser that can run the client reads WOFF2, so that the other formats of the fonts for formulas are left out. */
export function formulaFonts(): Plugin {
  return {
    name: 'formula-fonts',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('katex.min.css')) return
      return { code: code.replace(/,url\([^(),]+\.(woff|ttf)\) format\("\w+"\)/g, ''), map: null }
    },
  }
}
