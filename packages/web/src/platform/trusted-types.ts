interface Rules<Html, Url> {
  createHTML(text: string): Html
  createScriptURL(url: string): Url
}

interface TrustedTypes {
  trustedTypes?: { createPolicy(name: string, rules: Rules<string, string>): Rules<string, string> }
}

const rules: Rules<string, string> = {
  createHTML: (text) => text,
  createScriptURL: (url) => {
    if (new URL(url, window.location.href).origin !== window.location.origin) throw new Error('Foreign script')
    return url
  },
}

/** The only policy that the page allows. HTML passes through here to be parsed, never to be inserted. */
export const trusted = (globalThis as TrustedTypes).trustedTypes?.createPolicy('parley', rules) ?? rules
