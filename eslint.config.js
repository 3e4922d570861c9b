import tseslint from 'typescript-eslint'
import { noLookupByString } from './scripts/eslint/no-lookup-by-string.js'
import { noWriteThroughDb } from './scripts/eslint/no-write-through-db.js'

const generated = '**/*.generated.ts'

/** npm test checks the row types only of many, one, maybeOne and column (platform/db/query.ts). */
const useQueryHelpers = 'Use many, one, maybeOne, column or exists of platform/db/query.ts.'
const uncheckedRows = [
  {
    selector:
      "CallExpression[callee.property.name='execute'] > MemberExpression > TaggedTemplateExpression[typeArguments]",
    message: useQueryHelpers,
  },
  {
    selector:
      "VariableDeclarator[id.properties.0.key.name='rows'] > AwaitExpression > CallExpression[callee.property.name='execute']",
    message: useQueryHelpers,
  },
]

const noSql = 'Route files contain no SQL: put the query into access, actions or queries.'
const sqlInRoutes = [
  {
    selector: 'CallExpression[callee.property.name=/^(selectFrom|insertInto|updateTable|deleteFrom|query)$/]',
    message: noSql,
  },
  { selector: "TaggedTemplateExpression[tag.name!='html']", message: noSql },
]

// Biome does format and the fast rules; here only what needs types.
export default tseslint.config(
  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: [generated],
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'describe', 'it', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      'no-restricted-syntax': ['error', ...uncheckedRows],
    },
  },
  {
    // No rules: otherwise naming them on the command line is a warning.
    files: [generated],
    languageOptions: { parser: tseslint.parser },
  },
  {
    // Tests look up names that they chose themselves.
    files: ['packages/*/src/**/*.{ts,tsx}'],
    ignores: [generated, '**/*.test.ts', '**/testing/**', '**/testing.ts', '**/html-checker.ts'],
    plugins: {
      parley: { rules: { 'no-lookup-by-string': noLookupByString, 'no-write-through-db': noWriteThroughDb } },
    },
    rules: { 'parley/no-lookup-by-string': 'error', 'parley/no-write-through-db': 'error' },
  },
  {
    files: ['**/routes.ts', '**/*-routes.ts'],
    rules: { 'no-restricted-syntax': ['error', ...sqlInRoutes] },
  },
)
