import { hasSafeScheme } from '@parley/markdown/inline/urls'
import { matchLinkifier, patternVariables } from '@parley/markdown/references/linkifier-patterns'
import { templateVariables } from '@parley/markdown/references/uri-template'
import { ApiError } from '../../platform/http/api-error.ts'

export interface LinkifierParams {
  pattern: string
  url_template: string
  example_input?: string
}

type Field = keyof LinkifierParams | '__all__'

/** Reports what is wrong with a linkifier, by field. */
export class InvalidLinkifier extends ApiError {
  constructor(field: Field, text: string) {
    super(text, 'BAD_REQUEST', { fields: { errors: { [field]: [text] } } })
  }
}

export function checkLinkifier(params: LinkifierParams): void {
  const { pattern, url_template, example_input } = params
  const groups = pattern.trim() === '' ? undefined : patternVariables(pattern)
  if (!groups) throw new InvalidLinkifier('pattern', 'This is not a valid regular expression.')
  const variables = templateVariables(url_template)
  if (!variables) throw new InvalidLinkifier('url_template', 'This is not a valid URL template.')
  if (!hasSafeScheme(url_template))
    throw new InvalidLinkifier('url_template', 'The URL template must begin with https:// or another allowed scheme.')
  const missing = groups.find((name) => !variables.includes(name))
  if (missing) throw new InvalidLinkifier('__all__', `Group '${missing}' is not in the URL template.`)
  const unknown = variables.find((name) => !groups.includes(name))
  if (unknown) throw new InvalidLinkifier('__all__', `'${unknown}' in the URL template is not a group of the pattern.`)
  if (example_input && matchLinkifier(example_input, params).length === 0)
    throw new InvalidLinkifier('example_input', 'The pattern does not match this example.')
}
